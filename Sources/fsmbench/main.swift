internal import Glibc
internal import UnixHost

// A server that dies is a failed row, not the end of the table.
signal(SIGPIPE, SIG_IGN)
exit(Bench.run(Array(CommandLine.arguments.dropFirst())))
