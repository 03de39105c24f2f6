import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../cli/bin.js', import.meta.url))

export interface CommandTimes {
  readonly exitCode: number | null
  readonly wallS: number
}

/** Runs `touchstone` with these arguments and discards its output. */
export async function timeCommand(args: readonly string[]): Promise<CommandTimes> {
  const start = performance.now()
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  await once(child, 'close')
  return { exitCode: child.exitCode, wallS: (performance.now() - start) / 1000 }
}

export function keepBusy(cores: number): { end(): void } {
  const loads = Array.from({ length: cores }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  return {
    end() {
      for (const load of loads) load.kill('SIGKILL')
    },
  }
}
