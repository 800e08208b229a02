// GNUstep's headers include this one of Apple's and LLVM's runtimes, which GCC's runtime lacks. Type-checking blocks needs nothing of it.
