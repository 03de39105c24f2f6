import { execFileSync } from 'node:child_process'
import { chmodSync, constants, mkdtempSync, openSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { serveHttp } from '../../../common/testing/local-server.ts'
import { startEmulator } from '../../../emulator/start-emulator.ts'
import type { Interruption } from './interrupt-command.ts'

export const KEY = 'sk-svc-touchstone-funded'

export function targetOf(url: string): readonly string[] {
  return ['--target', url, '--key', KEY]
}

/** How to start a command, when it has reached a phase, and how it ends after a signal in this phase. */
export interface Phase extends Pick<Interruption, 'args' | 'isReached'> {
  readonly env?: Readonly<Record<string, string>>
  /** Exit code, or `signal` if the signal itself ends the process. */
  readonly exitCode: number | 'signal'
  /** Text that the output contains. */
  readonly words?: string
  /** Document that the command writes. */
  readonly document?: string
}

/** Starts the servers that lead to a phase. */
export type PhaseSetup = () => Promise<Phase & AsyncDisposable>

/** Returns a setup without a server. */
export function alone(createPhase: () => Phase): PhaseSetup {
  return async () => ({ ...createPhase(), [Symbol.asyncDispose]: async () => undefined })
}

/** Returns a setup with a server that counts its requests. */
export function withServer(
  respond: (incoming: IncomingMessage, response: ServerResponse) => void,
  createPhase: (url: string, countReceived: () => number) => Phase,
): PhaseSetup {
  return async () => {
    let received = 0
    const server = await serveHttp((incoming, response) => {
      received += 1
      incoming.resume()
      respond(incoming, response)
    })
    return { ...createPhase(server.url, () => received), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  }
}

/**
 * Returns a setup with a gateway in front of an emulator.
 * @param isHeld returns whether a request gets no response; `count` is the number of requests so far
 */
export function withGateway(
  isHeld: (incoming: IncomingMessage, count: number) => boolean,
  createPhase: (url: string, countHeld: () => number) => Phase,
): PhaseSetup {
  return async () => {
    const emulator = await startEmulator()
    let [received, held] = [0, 0]
    const gateway = await serveHttp((incoming, response) => {
      received += 1
      if (isHeld(incoming, received)) {
        held += 1
        incoming.resume()
        return
      }
      const { method, headers } = incoming
      const forwarded = request(emulator.url + incoming.url, { method, headers }, (result) => {
        response.writeHead(result.statusCode ?? 502, result.headers)
        result.pipe(response)
      })
      forwarded.on('error', () => response.destroy())
      incoming.pipe(forwarded)
    })
    return {
      ...createPhase(gateway.url, () => held),
      async [Symbol.asyncDispose]() {
        await gateway[Symbol.asyncDispose]()
        await emulator.close()
      },
    }
  }
}

export function isChat({ url = '' }: IncomingMessage): boolean {
  return url.startsWith('/v1/chat')
}

/** Responds with an empty list of models. Responds with 404 to other GET requests, and not to POST requests. */
export function serveModelsOnly({ url, method }: IncomingMessage, response: ServerResponse): void {
  if (method === 'GET') response.writeHead(url?.endsWith('/v1/models') === true ? 200 : 404).end('{"data": []}')
}

/** A shell script, with the environment that puts it on the PATH. */
export interface FakeProgram {
  readonly path: string
  /** `$PROGRAMS` is the directory of the script. */
  readonly env: Readonly<Record<string, string>>
  /** Path of a file next to the script. */
  pathOf(name: string): string
}

export function writeProgram(name: string, script: string): FakeProgram {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-programs-'))
  const path = join(directory, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return {
    path,
    env: { PATH: `${directory}${delimiter}${process.env['PATH']}`, PROGRAMS: directory },
    pathOf: (other) => join(directory, other),
  }
}

/** Creates a named pipe. `isRead` returns whether a program waits for its contents. */
export function makePipe(): { readonly path: string; isRead(): boolean } {
  const path = join(mkdtempSync(join(tmpdir(), 'touchstone-pipe-')), 'pipe.json')
  execFileSync('mkfifo', [path])
  let writer: number | undefined
  return {
    path,
    isRead() {
      try {
        // The pipe can be opened for writing when a program has opened it. It stays open, so that the program waits.
        writer ??= openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      } catch {
        // No program has opened the pipe yet.
      }
      return writer !== undefined
    },
  }
}

/** Sends a chat request, and does not wait for its response. */
export function sendChat(url: string): void {
  const messages = [{ role: 'user', content: 'hi' }]
  const body = JSON.stringify({ model: 'o3-mini', stream: true, max_tokens: 50, messages })
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    .then((response) => response.text())
    .catch(() => undefined)
}

const INCOMPLETE = { exitCode: 3, words: 'interrupted' } as const
export const CONFORMANCE_END = { ...INCOMPLETE, document: 'conformance.json' } as const
export const PROVE_END = { exitCode: 3, words: 'INTERRUPTED', document: 'new/prove.json' } as const
export const LOAD_END = { exitCode: 3, words: 'was interrupted', document: 'load-chat-stream.json' } as const
/** End of a command without a document. */
export const OTHER_END = INCOMPLETE
