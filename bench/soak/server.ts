import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { SoakQuery, SoakReady, SoakState } from '../soak-server.ts'

const PROGRAM = new URL('../soak-server.ts', import.meta.url)

/** Time that the process has to exit after its emulator and its channel are closed. */
const END_LIMIT_MS = 10_000

/** The emulator under load. */
export interface SoakServer extends SoakReady {
  tell(ask: SoakQuery['ask']): Promise<SoakState>
  /**
   * Closes the channel and waits for the exit.
   * @returns the exit code; undefined if the process had to be killed
   */
  release(): Promise<number | null | undefined>
}

/** Starts the server process. Its stderr is inherited. */
export async function startSoakServer(): Promise<SoakServer> {
  const child = fork(PROGRAM, { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const nextMessage = async () => {
    const gone = ended.then(([code]) => {
      throw new Error(`the emulator's process ended with ${code}`)
    })
    const [message] = await Promise.race([once(child, 'message'), gone])
    return message as unknown
  }
  const ready = (await nextMessage()) as SoakReady // its first message
  return {
    ...ready,
    async tell(ask) {
      child.send({ ask } satisfies SoakQuery)
      return (await nextMessage()) as SoakState // all later messages
    },
    async release() {
      child.disconnect()
      const tooLong = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS)
      const [code, signal] = (await ended) as [number | null, string | null]
      clearTimeout(tooLong)
      return signal === null ? code : undefined
    },
  }
}
