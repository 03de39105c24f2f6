const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const EXIT_INTERRUPTED = 130
/** A terminal and npm each pass on one Ctrl-C, a moment apart: that is no second wish. */
const SAME_SIGNAL_MS = 1000

/** Runs work that Ctrl-C and SIGTERM end early, so that it can still report. Whoever asks twice does not want to wait. */
export async function runInterruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController()
  let askedAtMs = 0
  const interrupt = (): void => {
    if (!interruption.signal.aborted) {
      askedAtMs = performance.now()
      interruption.abort()
    } else if (performance.now() - askedAtMs > SAME_SIGNAL_MS) {
      process.exit(EXIT_INTERRUPTED)
    }
  }
  for (const name of SIGNALS) {
    process.on(name, interrupt)
  }
  try {
    return await work(interruption.signal)
  } finally {
    // After an interruption the signal's twin may still be on its way, and must not end what is being written.
    for (const name of interruption.signal.aborted ? [] : SIGNALS) {
      process.off(name, interrupt)
    }
  }
}
