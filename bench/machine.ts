import { cpus, loadavg, totalmem } from 'node:os'

export interface Machine {
  readonly node: string
  readonly system: string
  readonly cpu: string
  readonly cores: number
  readonly memoryMb: number
  /** Load average of the last 15 minutes, which includes other processes. */
  readonly load15Minutes: number
}

/** Describes this machine without its host name. */
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
