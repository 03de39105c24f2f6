import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { SoakQuery, SoakReady, SoakState } from '../soak-server.ts'

const PROGRAM = new URL('../soak-server.ts', import.meta.url)

/** Maximum time until the process exits after the emulator and the message channel are closed. */
const MAX_EXIT_MS = 10_000

export interface SoakServer extends SoakReady {
  query(type: SoakQuery['type']): Promise<SoakState>
  /**
   * Closes the message channel and waits until the process exits.
   * @returns the exit code, or undefined if the process had to be killed
   */
  stop(): Promise<number | null | undefined>
}

export async function startSoakServer(): Promise<SoakServer> {
  const child = fork(PROGRAM, { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const nextMessage = async () => {
    const exited = ended.then(([code]) => {
      throw new Error(`the emulator's process ended with ${code}`)
    })
    const [message] = await Promise.race([once(child, 'message'), exited])
    return message as unknown
  }
  const ready = (await nextMessage()) as SoakReady // The cast is safe: the first message has this type.
  return {
    ...ready,
    async query(type) {
      child.send({ type } satisfies SoakQuery)
      return (await nextMessage()) as SoakState // The cast is safe: all messages after the first have this type.
    },
    async stop() {
      child.disconnect()
      const tooLong = setTimeout(() => child.kill('SIGKILL'), MAX_EXIT_MS)
      const [code, signal] = (await ended) as [number | null, string | null]
      clearTimeout(tooLong)
      return signal === null ? code : undefined
    },
  }
}
