let seconds = 0
setInterval(() => (seconds += 1), 1000).unref()

/**
 * Returns the number of seconds during which this process could run, counted from an arbitrary origin. The count stops
 * while the machine is suspended or has no free core, so that such delays never exceed the deadline of a server.
 */
export function readRunningSeconds(): number {
  return seconds
}
