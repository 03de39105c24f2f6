@rem What the shell's builtin exec does, for cmd.exe, which has none: npm scripts begin with it, so that signals reach the program on POSIX.
@%*
