import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createExtensionResult, createOperationResult } from '../../../load/testing/make-result.ts'
import {
  alone,
  LOAD_END,
  makePipe,
  type Phase,
  type PhaseSetup,
  serveModelsOnly,
  targetOf,
  withGateway,
  withServer,
  writeProgram,
} from './phase.ts'

/** Builds the line with which k6 prints a result. The latencies have no bounds, so that the run calibrates. */
function buildResultLine(): string {
  const operation = createOperationResult(20, { ttftMs: [10], e2eMs: [20] })
  const text = JSON.stringify(createExtensionResult({ 'chat-stream': operation }))
  const digest = createHash('sha256').update(text).digest('hex')
  return `${text.slice(0, -1)},"sha256":"${digest}"}`
}

const VERSION = 'if [ "$1" = version ]; then echo "k6 v2.0.0 (go1.26.0)"; echo k6/x/touchstone; exit; fi'
const WAIT = 'touch "$PROGRAMS/started"; sleep 300'
const PRINT_RESULT =
  'events=$(echo "$TOUCHSTONE_LOAD" | sed -n \'s/.*"eventsPath":"\\([^"]*\\)".*/\\1/p\'); [ -z "$events" ] || touch "$events"; cat "$PROGRAMS/result"'
/** Prints a result in the first run, and waits in the second. */
const PRINT_ONCE = `if [ -e "$PROGRAMS/once" ]; then ${WAIT}; fi; touch "$PROGRAMS/once"; ${PRINT_RESULT}`

/**
 * Returns a load run with a program that replaces k6.
 * @param url target; default: the built-in emulator
 * @param isReached default: the phase starts when the program waits
 */
export function loadWith(
  k6: string,
  { url, options = [], isReached }: { url?: string; options?: readonly string[]; isReached?: () => boolean } = {},
): Phase {
  const { path, env, pathOf } = writeProgram('k6', `${VERSION}\n${k6}`)
  writeFileSync(pathOf('result'), `${buildResultLine()}\n`)
  const load = ['--rate', '5', '--duration', '20s', ...(url === undefined ? [] : targetOf(url)), ...options]
  return {
    ...LOAD_END,
    args: ['load', '--out', 'OUT', ...load],
    env: { ...env, TOUCHSTONE_K6: path },
    isReached: isReached ?? (() => existsSync(pathOf('started'))),
  }
}

/** Responds like an emulator to which the run is connected directly, but does not return its record. */
function serveEmulatorWithoutRecord(incoming: IncomingMessage, response: ServerResponse): void {
  const { url = '', socket } = incoming
  if (url.startsWith('/v1')) serveModelsOnly(incoming, response)
  else if (url.endsWith('/connection')) response.end(JSON.stringify({ remotePort: socket.remotePort }))
  else if (url.endsWith('/health')) response.end('{"inFlight": 0}')
  else if (url.endsWith('/balance')) response.end('{"credits": "1"}')
  else if (url.includes('tail=1')) response.end('{"entries": [], "next": null}')
}

/** Phases of `load` for which a program replaces k6. */
export const LOAD_PHASES: Readonly<Record<string, PhaseSetup>> = {
  'load: options': alone(() => {
    const pipe = makePipe()
    return { args: ['load', '--trace', pipe.path], isReached: pipe.isRead, exitCode: 'signal' }
  }),
  'load: check of the given k6': alone(() => {
    const { path, env, pathOf } = writeProgram('k6', WAIT)
    const args = ['load', '--out', 'OUT']
    return { ...LOAD_END, args, env: { ...env, TOUCHSTONE_K6: path }, isReached: () => existsSync(pathOf('started')) }
  }),
  'load: check of Go': alone(() => {
    const { env, pathOf } = writeProgram('go', WAIT)
    return { ...LOAD_END, args: ['load', '--out', 'OUT'], env, isReached: () => existsSync(pathOf('started')) }
  }),
  'load: build of k6': alone(() => {
    const writeFiles = 'mkdir -p "${GOTMPDIR:-$TMPDIR}/go-build1"; while [ $# -gt 2 ]; do shift; done; touch "$1.part"'
    const script = `if [ "$1" = env ]; then echo go1.26.0; exit; fi\n${writeFiles}; ${WAIT}`
    const { env, pathOf } = writeProgram('go', script)
    return { ...LOAD_END, args: ['load', '--out', 'OUT'], env, isReached: () => existsSync(pathOf('started')) }
  }),
  'load: list of models': withServer(
    () => undefined,
    (url, countReceived) => loadWith(WAIT, { url, isReached: () => countReceived() > 0 }),
  ),
  'load: search for an emulator': withServer(
    (incoming, response) => {
      if (incoming.url?.startsWith('/v1') === true) serveModelsOnly(incoming, response)
    },
    (url, countReceived) => loadWith(WAIT, { url, isReached: () => countReceived() > 1 }),
  ),
  'load: test of the model': withServer(serveModelsOnly, (url, countReceived) =>
    loadWith(WAIT, { url, isReached: () => countReceived() > 3 }),
  ),
  'load: list of models of the upstream': withServer(
    (incoming, response) => {
      if (incoming.url?.startsWith('/up') !== true) serveModelsOnly(incoming, response)
    },
    (url, countReceived) =>
      loadWith(WAIT, { url, options: ['--upstream', `${url}/up`], isReached: () => countReceived() > 2 }),
  ),
  'load: k6': withGateway(
    () => false,
    (url) => loadWith(WAIT, { url }),
  ),
  'load: calibration': withGateway(
    () => false,
    (url) => loadWith(`if [ "$1" = reference-server ]; then ${WAIT}; fi; ${PRINT_RESULT}`, { url }),
  ),
  'load: comparison with the record of an emulator': withServer(serveEmulatorWithoutRecord, (url, countReceived) => {
    let before = 0
    return loadWith(`${PRINT_RESULT}; touch "$PROGRAMS/started"`, {
      url,
      isReached() {
        const isSame = countReceived() > 8 && countReceived() === before
        before = countReceived()
        return isSame
      },
    })
  }),
  'load --find: second run': withGateway(
    () => false,
    (url) =>
      loadWith(PRINT_ONCE, { url, options: ['--find', 'ttft.p50<=10s', '--max-rate', '20', '--no-calibration'] }),
  ),
  'load --upstream: second turn': withGateway(
    () => false,
    (url) => loadWith(PRINT_ONCE, { url, options: ['--upstream', url, '--no-calibration'] }),
  ),
}
