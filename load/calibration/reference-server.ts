import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { OWN_GROUP, waitForExit } from '../k6/run-program.ts'
import type { RecordedTiming } from '../target/emulator-client.ts'

/** Streams that a reference server sends. Each delay is a random value between two bounds, in milliseconds. */
export interface ReferenceStreams {
  readonly firstMs: readonly [number, number]
  readonly itlMs: readonly [number, number]
  readonly tokens: number
}

/** A server that records when it wrote each event. It runs in a separate process, so that it does not delay k6. */
export interface ReferenceServer {
  readonly url: string
  readRecord(): Promise<readonly RecordedTiming[]>
  close(): Promise<void>
}

const TIMEOUT_MS = 30_000

/**
 * Starts a reference server, which is part of the k6 binary.
 * @param signal kills the server
 * @throws Error if it does not start
 */
export async function startReferenceServer(
  k6: string,
  streams: ReferenceStreams,
  signal: AbortSignal,
): Promise<ReferenceServer> {
  // The server exits when its standard input is closed, even if this process is killed.
  const args = ['reference-server', JSON.stringify(streams)]
  const child = spawn(k6, args, { ...OWN_GROUP, stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = waitForExit(child, { signal, stopWith: 'SIGKILL' }).then(() => undefined)
  const close = (): Promise<void> => {
    child.stdin.destroy()
    return exited
  }
  const printed = await Promise.race([once(child.stdout, 'data'), exited])
  const url = /^http:\/\/\S+/.exec(String(printed?.[0] ?? ''))?.[0]
  if (url === undefined) {
    await close()
    throw new Error(`${k6} cannot start its reference server`)
  }
  const readRecord = async (): Promise<readonly RecordedTiming[]> => {
    const either = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const response = await fetch(`${url}/record`, { signal: either })
    // The cast is safe: the server is part of the k6 that this repository builds.
    return (await response.json()) as readonly RecordedTiming[]
  }
  return { url, readRecord, close }
}
