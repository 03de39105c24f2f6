const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const EXIT_INTERRUPTED = 130

/** Runs work that Ctrl-C and SIGTERM end early, so that it can still report. Whoever asks twice does not want to wait. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController()
  const interrupt = (): void => {
    if (interruption.signal.aborted) {
      process.exit(EXIT_INTERRUPTED)
    }
    interruption.abort()
  }
  for (const name of SIGNALS) {
    process.on(name, interrupt)
  }
  try {
    return await work(interruption.signal)
  } finally {
    for (const name of SIGNALS) {
      process.off(name, interrupt)
    }
  }
}
