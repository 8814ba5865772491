#ifndef FSMD_CEXPAT_H
#define FSMD_CEXPAT_H

/* Declares the limits of entity expansion. */
#define XML_DTD
#include <expat.h>

#endif
