const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const EXIT_INTERRUPTED = 130
/** Time within which two signals count as one Ctrl-C, which arrives from the terminal and from npm. */
const SAME_SIGNAL_MS = 1000

/** Runs work that SIGINT and SIGTERM abort, so that it can still write a report. A second signal exits immediately. */
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
    // After an interruption the listeners stay, because the same signal may still arrive from npm and must not end the
    // process while it writes the report.
    for (const name of interruption.signal.aborted ? [] : SIGNALS) {
      process.off(name, interrupt)
    }
  }
}
