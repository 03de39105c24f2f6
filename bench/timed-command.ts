import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../cli/bin.js', import.meta.url))
const REPORT_CPU = new URL('./report-cpu.ts', import.meta.url).href

/** Measurements of one run of the command. */
export interface TimedRun {
  readonly exitCode: number | null
  readonly wallS: number
  /** CPU time of all threads, user and kernel. */
  readonly cpuS: number
}

/** Runs `touchstone` with these arguments and discards its output. */
export async function timeCommand(args: readonly string[]): Promise<TimedRun> {
  const start = performance.now()
  const child = spawn(process.execPath, ['--import', REPORT_CPU, PROGRAM, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const pipe = child.stdio[3] as Readable // piped by the stdio option above
  let cpuUs = ''
  pipe.on('data', (data: Buffer) => (cpuUs += data.toString()))
  await once(child, 'close')
  return { exitCode: child.exitCode, wallS: (performance.now() - start) / 1000, cpuS: Number(cpuUs) / 1e6 }
}

/** Keeps cores busy, with one counting process each, until the returned function is called. */
export function keepBusy(cores: number): { end(): void } {
  const loads = Array.from({ length: cores }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  return {
    end() {
      for (const load of loads) load.kill('SIGKILL')
    },
  }
}
