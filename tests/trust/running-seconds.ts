let seconds = 0
setInterval(() => (seconds += 1), 1000).unref()

/**
 * Returns the number of seconds during which this process could run, from an arbitrary origin. The count stops while
 * the machine is suspended or has no free core. A deadline in these seconds therefore does not expire because of such a
 * delay.
 */
export function readRunningSeconds(): number {
  return seconds
}
