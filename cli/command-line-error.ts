/** Invalid use of the command line (exit code 2). The message is one sentence that names flags. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError'
}
