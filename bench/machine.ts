import { cpus, loadavg, totalmem } from 'node:os'

/** What a figure was measured on. */
export interface Machine {
  readonly node: string
  readonly system: string
  readonly cpu: string
  readonly cores: number
  readonly memoryMb: number
  /** Processes that wanted a core during the last 15 minutes, on average: those of others count too. */
  readonly load15Minutes: number
}

/** This machine, without its name. */
export function describeMachine(): Machine {
  return {
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryMb: Math.round(totalmem() / 1e6),
    load15Minutes: Math.round((loadavg()[2] ?? 0) * 10) / 10,
  }
}
