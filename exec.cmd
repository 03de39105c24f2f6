@rem Replaces the shell builtin exec in cmd.exe. npm scripts start with exec, so that signals reach the program on POSIX systems.
@%*
