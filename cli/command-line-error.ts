/** Invalid use of the command line. The message is a sentence with flags; the exit code is 2. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError'
}
