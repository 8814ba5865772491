#ifndef FSMD_CEXPAT_H
#define FSMD_CEXPAT_H

#include <expat.h>

#endif
