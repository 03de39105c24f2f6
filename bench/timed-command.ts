import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../cli/bin.js', import.meta.url))
const REPORT_CPU = new URL('./report-cpu.ts', import.meta.url).href

export interface CommandTimes {
  readonly exitCode: number | null
  readonly wallS: number
  /** User and kernel CPU time of all threads, in seconds. */
  readonly cpuS: number
}

/** Runs `touchstone` with these arguments and discards its output. */
export async function timeCommand(args: readonly string[]): Promise<CommandTimes> {
  const start = performance.now()
  const child = spawn(process.execPath, ['--import', REPORT_CPU, PROGRAM, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const pipe = child.stdio[3] as Readable // The cast is safe: the `stdio` option makes descriptor 3 a pipe.
  let cpuUs = ''
  pipe.on('data', (data: Buffer) => (cpuUs += data.toString()))
  await once(child, 'close')
  return { exitCode: child.exitCode, wallS: (performance.now() - start) / 1000, cpuS: Number(cpuUs) / 1e6 }
}

export function keepBusy(cores: number): { end(): void } {
  const loads = Array.from({ length: cores }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  return {
    end() {
      for (const load of loads) load.kill('SIGKILL')
    },
  }
}
