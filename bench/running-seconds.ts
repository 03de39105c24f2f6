let seconds = 0
setInterval(() => (seconds += 1), 1000).unref()

/**
 * Seconds during which this process could run, from an arbitrary origin. They stop while the machine is suspended or
 * has no free core, so that a deadline in these seconds never blames the server for that.
 */
export function readRunningSeconds(): number {
  return seconds
}
