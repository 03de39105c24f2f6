import { cpus, totalmem } from 'node:os'

/** What a figure was measured on. */
export interface Machine {
  readonly node: string
  readonly system: string
  readonly cpu: string
  readonly cores: number
  readonly memoryMb: number
}

/** This machine, without its name. */
export function describeMachine(): Machine {
  return {
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryMb: Math.round(totalmem() / 1e6),
  }
}
