import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  alone,
  CONFORMANCE_END,
  isChat,
  makePipe,
  OTHER_END,
  type PhaseSetup,
  PROVE_END,
  sendChat,
  serveModelsOnly,
  targetOf,
  withGateway,
  withServer,
  writeProgram,
} from './phase.ts'

function conformancePhases(): Readonly<Record<string, PhaseSetup>> {
  const run = (url: string, ...others: readonly string[]) => ({
    ...CONFORMANCE_END,
    args: ['conformance', '--out', 'OUT', ...targetOf(url), ...others],
  })
  return {
    'conformance: preflight': withServer(
      () => undefined,
      (url, countReceived) => ({ ...run(url), isReached: () => countReceived() > 0 }),
    ),
    'conformance: search for models': withGateway(
      ({ url }) => url === '/v1/images/generations',
      (url, countHeld) => ({ ...run(url), isReached: () => countHeld() > 0 }),
    ),
    'conformance: checks': withGateway(
      (_incoming, count) => count > 40,
      (url, countHeld) => ({ ...run(url), isReached: () => countHeld() > 3 }),
    ),
    'conformance: SDK checks': withGateway(
      (_incoming, count) => count > 8,
      (url, countHeld) => ({ ...run(url, '--sdk', '--only', '1'), isReached: () => countHeld() > 2 }),
    ),
    'conformance: wait for a rate limit': withServer(
      (_incoming, response) =>
        response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '60' }).end('{"detail": "slow"}'),
      (url, countReceived) => ({ ...run(url), isReached: () => countReceived() > 1 }),
    ),
    'conformance: measurement of a latency budget': withGateway(
      (incoming, count) => isChat(incoming) && count > 3,
      (url, countHeld) => ({
        ...run(url, '--only', '4.1', '--budget', 'chat.total.p50<=1s'),
        isReached: () => countHeld() > 0,
      }),
    ),
  }
}

/** Returns a phase that starts when a command reads a file that does not end. */
function reading(argumentsOf: (path: string) => readonly string[]): PhaseSetup {
  return alone(() => {
    const pipe = makePipe()
    return { args: argumentsOf(pipe.path), isReached: pipe.isRead, exitCode: 'signal' }
  })
}

/** Returns a phase that starts when the emulator has received a chat request, which it does not complete. */
function emulatorPhase(options: readonly string[], isReceived: () => boolean = () => true) {
  let isSent = false
  return {
    exitCode: 0,
    args: ['emulator', '--port', '0', ...options],
    isReached(output: string): boolean {
      const url = /ready at (\S+)/.exec(output)?.[1]
      if (url === undefined || isSent) return isSent && isReceived()
      sendChat(url)
      isSent = true
      return false
    },
  }
}

/** Phases of all commands but `load`. */
export const PHASES: Readonly<Record<string, PhaseSetup>> = {
  'conformance: options': reading((path) => ['conformance', '--target', path]),
  ...conformancePhases(),
  'init: preflight': withServer(
    () => undefined,
    (url, countReceived) => ({
      ...OTHER_END,
      args: ['init', ...targetOf(url), '--json'],
      isReached: () => countReceived() > 0,
    }),
  ),
  'init: observations': withGateway(
    (_incoming, count) => count > 20,
    (url, countHeld) => ({
      ...OTHER_END,
      args: ['init', ...targetOf(url), '--json'],
      isReached: () => countHeld() > 0,
    }),
  ),
  'doctor: machine': alone(() => {
    const { env, pathOf } = writeProgram('docker', 'touch "$PROGRAMS/started"; sleep 300')
    return { ...OTHER_END, args: ['doctor'], env, isReached: () => existsSync(pathOf('started')) }
  }),
  'doctor: target': withGateway(
    (_incoming, count) => count > 3,
    (url, countHeld) => ({ ...OTHER_END, args: ['doctor', ...targetOf(url)], isReached: () => countHeld() > 0 }),
  ),
  'prove: mutants': alone(() => ({
    ...PROVE_END,
    args: ['prove', '--out', 'OUT/new'],
    isReached: (_output, out) => existsSync(join(out, 'new')),
  })),
  'report: documents': reading((path) => ['report', path]),
  'emulator: options': reading((path) => ['emulator', '--config', path]),
  'emulator: idle': alone(() => ({
    exitCode: 0,
    args: ['emulator', '--port', '0'],
    isReached: (output) => output.includes('ready at'),
  })),
  'emulator: stream in progress': alone(() => emulatorPhase(['--latency', 'ttft=0ms,itl=60s'])),
  'emulator: recording': withServer(serveModelsOnly, (url, countReceived) =>
    emulatorPhase(['--record', url, '--record-dir', join(tmpdir(), 'recordings')], () => countReceived() > 0),
  ),
}
