/** Usage error. Commands print its message and exit with code 2. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError'
}
