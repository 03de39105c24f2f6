import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../contract/facts.ts'
import type { RunObstacleParams } from '../../conformance/findings/run-obstacle.ts'
import { runConformance } from '../../conformance/run-conformance.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import { createFixedDelay, createLatencyProfile } from '../../emulator/state/latency.ts'
import { startFaultyProxy } from './faulty-proxy.ts'

/** A latency with which a stream of 256 tokens lasts until the client aborts it, even on a busy machine. */
const LATENCY = createLatencyProfile(createFixedDelay(1), createFixedDelay(10), createFixedDelay(0))

/** Calls `crash` when the request that arrives should stop the target. */
type Watch = (request: IncomingMessage, response: ServerResponse, crash: () => void) => void

function createWatches(limitedKey: string): Readonly<Record<string, Watch>> {
  const crashAt = (position: number, isCounted: (request: IncomingMessage) => boolean): Watch => {
    let count = 0
    return (request, _response, crash) => {
      if (isCounted(request)) count += 1
      if (count === position) crash()
    }
  }
  return {
    'the client aborts a stream': (_request, response, crash) => {
      response.on('close', () => response.headersSent && !response.writableFinished && crash())
    },
    'a body is `null`': crashAt(1, ({ headers }) => headers['content-length'] === '4'),
    'the tenth request of a burst arrives': crashAt(
      10,
      ({ headers }) => headers.authorization === `Bearer ${limitedKey}`,
    ),
    'the 20th upload arrives': crashAt(20, ({ url }) => url === OPERATIONS.transcriptions.path),
    'the 250th request arrives': crashAt(250, () => true),
  }
}

test.concurrent.each(Object.keys(createWatches('')))(
  'if the target exits as soon as %s, the suspects include the check that sent that request',
  async (name) => {
    await using emulator = await startEmulator({ latency: LATENCY })
    const { funded, noCredits, limited } = emulator.keys
    const watch = createWatches(limited)[name]
    let culprit = ''
    await using proxy = await startFaultyProxy(emulator.url, (_position, request, response) => {
      const { method = '', url = '', headers } = request
      watch?.(request, response, () => {
        culprit ||= identify(method, url, headers, Number(headers['content-length'] ?? 0))
        void proxy.exit()
      })
      return undefined
    })
    /** Sources of the requests that got no complete response. */
    const unanswered: { readonly id: string; readonly source: string }[] = []
    const { document } = await runConformance({
      url: proxy.url,
      keys: { funded, noCredits, limited },
      onExchange(source, { request: { method, path, headers, body }, status, wasAborted }) {
        if (status !== 0 && wasAborted !== true) return
        unanswered.push({ source, id: identify(method, path, headers, body?.length ?? 0) })
      },
    })
    expect(document.remarkFindings).toMatchObject([{ code: 'target-died' }])
    // The cast is safe, because the code determines the type of the parameters.
    const death = (document.remarkFindings[0]?.params ?? {}) as Partial<RunObstacleParams['target-died']>
    const { aborted, inFlight, completed } = death
    const suspects = [aborted, inFlight, completed].flatMap((list) => list ?? []).map(({ check }) => check)
    const culprits = unanswered.filter(({ id }) => id === culprit).map(({ source }) => source)
    expect(culprits).not.toEqual([])
    expect(suspects.filter((check) => culprits.includes(check))).not.toEqual([])
  },
)

function identify(
  method: string,
  path: string,
  { authorization }: { readonly authorization?: string | undefined },
  bytes: number,
): string {
  // Servers remove spaces at the end of a header value.
  return [method, path, authorization?.trimEnd(), bytes].join(' ')
}
