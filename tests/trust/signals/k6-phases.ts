import {
  alone,
  isChat,
  LOAD_END,
  type Phase,
  type PhaseSetup,
  serveModelsOnly,
  targetOf,
  withGateway,
  withServer,
} from './phase.ts'

/** Returns a load run of a minute. By default, the phase starts when k6 has run for some seconds. */
function load(options: readonly string[], isReached = (output: string) => /\d+ sent/.test(output)): Phase {
  return { ...LOAD_END, args: ['load', '--out', 'OUT', '--duration', '60s', ...options], isReached }
}

export const K6_PHASES: Readonly<Record<string, PhaseSetup>> = {
  'load: start of k6': alone(() => load(['--rate', '5'], (output) => output.includes('running'))),
  'load: emulator': alone(() => load(['--rate', '20'])),
  'load: requests without a response': withServer(serveModelsOnly, (url, countReceived) =>
    load(['--vus', '4', ...targetOf(url)], () => countReceived() > 7),
  ),
  'load: streams without an end': withGateway(isChat, (url) => load(['--rate', '5', ...targetOf(url)])),
  'load: wait for the start time': alone(() => {
    let polls = 0
    const startAt = String(Math.ceil(Date.now() / 1000) + 120)
    return load(['--rate', '5', '--start-at', startAt], (output) => output.includes('running') && ++polls > 100)
  }),
  'load --find': alone(() => load(['--find', 'ttft.p50<=10s', '--max-rate', '40'])),
}
