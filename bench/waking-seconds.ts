let seconds = 0
setInterval(() => (seconds += 1), 1000).unref()

/**
 * Seconds in which this process could do something, from any beginning. Where the machine stands still, or has no core to
 * spare, they stand still too: whoever waits in them blames no server for that.
 */
export function wakingSeconds(): number {
  return seconds
}
