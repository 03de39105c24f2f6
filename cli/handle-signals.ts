const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const EXIT_INTERRUPTED = 130
/** Two signals within this time count as one Ctrl-C, because the terminal and npm each send a signal. */
const SAME_SIGNAL_MS = 1000

/**
 * Runs work with an abort signal. SIGINT or SIGTERM aborts it, so that the command can still write a report. A further
 * signal exits immediately, unless it follows within {@link SAME_SIGNAL_MS}.
 */
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
    // Keeps the listeners after an interruption. npm may still forward the same signal, which must not end the process
    // while it writes the report.
    for (const name of interruption.signal.aborted ? [] : SIGNALS) {
      process.off(name, interrupt)
    }
  }
}
