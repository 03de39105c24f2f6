import { describe, expect, test } from 'vitest'
import type { CheckEntry } from '../reports/conformance-document.ts'
import type { Check } from './engine/check.ts'
import type { Outcome } from './findings/outcome.ts'
import type { KeyChoice } from './requests/api-request.ts'
import type { Exchange } from './http/exchange.ts'
import { serveHttp } from '../common/testing/local-server.ts'
import { createCheck, createSuite } from './testing/small-suite.ts'
import { type ConformanceOptions, runConformance } from './run-conformance.ts'

const ALONE = { alone: true } as const
const KEYS = { funded: 'sk-svc-funded-0123456789', noCredits: 'sk-svc-nothing-0123456789' }

/** Starts a server that responds with 200 to every request. */
const serveAny = () => serveHttp((_request, response) => response.writeHead(200).end('{}'))

async function runWith(url: string, checks: readonly Check[], options: Partial<ConformanceOptions> = {}) {
  const result = await runConformance({ url, keys: KEYS, suite: createSuite(checks), ...options })
  const byId = new Map(result.document.checks.map((entry) => [entry.id, entry]))
  return { ...result, entry: (id: string): Partial<CheckEntry> => byId.get(id) ?? {} }
}

/** Returns a code and parameters that the report formats as this text. */
const textOnly = (text: string) =>
  ({ code: 'as-expected', params: { seen: { kind: 'header-names', names: [text] } } }) as const
const pass = (text: string): Outcome => ({ verdict: 'pass', ...textOnly(text) })
const fail = (text: string): Outcome => ({ verdict: 'fail', ...textOnly(text) })
const statusOf = (exchange: Exchange): Outcome => pass(`returned ${exchange.status}`)

describe('remarks that the target looks like another service', () => {
  test.each([
    [404, 404, 'application/json', 'Both GET /v1/models and chat returned 404: is the base URL right?'],
    [404, 501, 'text/plain', 'GET /v1/models returned 404, and chat returned 501: is the base URL right?'],
    [404, 200, 'application/json', undefined],
    [200, 404, 'application/json', undefined],
    [200, 400, 'application/json', undefined],
  ])('remarks on a target whose model list returns %i and chat %i, as %s', async (models, chat, mediaType, remark) => {
    await using server = await serveHttp(({ method }, response) =>
      response.writeHead(method === 'GET' ? models : chat, { 'content-type': mediaType }).end('{}'),
    )
    const { document, exitCode } = await runWith(server.url, [createCheck('1/a')])
    expect(document.remarks).toEqual(remark === undefined ? [] : [remark])
    // Remarks do not affect the verdict.
    expect([document.verdict, exitCode]).toEqual(['conformant', 0])
  })

  test('remarks that the target looks like another service if its list of models is a web page', async () => {
    await using server = await serveHttp(({ method }, response) =>
      response
        .writeHead(200, { 'content-type': method === 'GET' ? 'Text/HTML; charset=utf-8' : 'application/json' })
        .end(),
    )
    const { document } = await runWith(server.url, [createCheck('1/a')])
    expect(document.remarks).toEqual(['GET /v1/models returned text/html: is this the API?'])
  })

  test('recognizes another service from the list of models alone, without a key', async () => {
    await using server = await serveHttp((_request, response) => response.writeHead(404).end())
    const { document } = await runWith(server.url, [createCheck('1/a')], { keys: {} })
    expect(document.remarks).toEqual(['GET /v1/models returned 404: is the base URL right?'])
  })
})

describe('the entry of a check', () => {
  test('the entry of a check has evidence and a command that repeats its last request without a key', async () => {
    await using server = await serveAny()
    const check = createCheck('4.2/a', {
      cost: { requests: 2 },
      run: async ({ chat }) => statusOf((await chat(), await chat({ n: 2 }))),
    })
    const { entry, document, exitCode } = await runWith(server.url, [check])
    expect(entry('4.2/a')).toMatchObject({ verdict: 'pass', section: '4.2', level: 'stated', actual: 'returned 200' })
    expect(entry('4.2/a').evidence).toHaveLength(2)
    expect(entry('4.2/a').reproduce).toContain('"n":2')
    expect(JSON.stringify(document)).not.toContain('funded-0123')
    expect(exitCode).toBe(0)
  })

  test('an exception in a check results in verdict error and affects no other check', async () => {
    await using server = await serveAny()
    const bad = createCheck('1/bad', { run: () => Promise.reject(new TypeError('oops')) })
    const { entry, exitCode } = await runWith(server.url, [bad, createCheck('1/good')])
    expect(entry('1/bad')).toMatchObject({ verdict: 'error', actual: 'The check itself failed: TypeError: oops' })
    expect(entry('1/good').verdict).toBe('pass')
    expect(exitCode).toBe(4)
  })

  test('a synchronous exception in a check results in verdict error', async () => {
    await using server = await serveAny()
    const bad = createCheck('1/bad', {
      run: () => {
        throw new Error('oops')
      },
    })
    const { entry } = await runWith(server.url, [bad, createCheck('1/good')])
    expect(entry('1/bad').actual).toBe('The check itself failed: Error: oops')
    expect(entry('1/good').verdict).toBe('pass')
  })

  test('a check that sends more requests than it declares has verdict error', async () => {
    await using server = await serveAny()
    const greedy = createCheck('1/greedy', {
      cost: { requests: 1 },
      run: async ({ listModels }) => statusOf((await listModels(), await listModels())),
    })
    expect((await runWith(server.url, [greedy])).entry('1/greedy')).toMatchObject({
      verdict: 'error',
      actual: 'The check sent 2 requests and declares at most 1.',
    })
  })

  test('the entry of a check names required options that the tester did not set', async () => {
    await using server = await serveAny()
    const { entry, exitCode } = await runWith(server.url, [
      createCheck('1/ok'),
      createCheck('7/limited', { needs: ['limited'] }),
    ])
    expect(entry('7/limited').verdict).toBe('not-testable')
    expect(entry('7/limited').actual).toMatch(/set keys\.limited/)
    expect(exitCode).toBe(3)
  })

  test('a check with `alone` runs while no other check does', async () => {
    await using server = await serveAny()
    let running = 0
    const seen: number[] = []
    const run = async (isAlone: boolean): Promise<Outcome> => {
      running += 1
      if (isAlone) {
        seen.push(running)
      }
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return pass('')
    }
    const checks = Array.from({ length: 12 }, (_, index) =>
      createCheck(`1/${index}`, { run: () => run(index % 3 === 0), ...(index % 3 === 0 ? ALONE : {}) }),
    )
    const { document } = await runWith(server.url, checks)
    expect(seen).toEqual([1, 1, 1, 1])
    expect(document.checks.map((check) => check.id)).toEqual(checks.map((check) => check.id))
  })
})

describe('a check whose request could not be sent is not testable', () => {
  const blamesTarget = createCheck('4.2/blame', {
    operation: 'chat',
    cost: { requests: 2 },
    run: async ({ chat }) => {
      await chat()
      const second = await chat()
      return second.status === 200 ? pass('') : fail('no response')
    },
  })

  test('a check is not testable if maxRequests is reached before it starts', async () => {
    await using server = await serveAny()
    const { entry, document } = await runWith(server.url, [blamesTarget], { maxRequests: 3 })
    expect(entry('4.2/blame')).toMatchObject({ verdict: 'not-testable' })
    expect(entry('4.2/blame').actual).toContain('maxRequests')
    expect(document.spent.requests).toBe(2)
  })

  test('a check is not testable if maxCredits is reached while it runs', async () => {
    await using server = await serveAny()
    // A small chat costs at most 46 tokens at 0.0004 credits. After the chat of the preflight, the limit allows one
    // more.
    const { entry } = await runWith(server.url, [blamesTarget], { maxCredits: 0.045 })
    expect(entry('4.2/blame').verdict).toBe('not-testable')
    expect(entry('4.2/blame').actual).toContain('maxCredits')
    expect(entry('4.2/blame').evidence).toHaveLength(1)
  })

  test('a check is not testable, like all later ones, if the run is aborted', async () => {
    const interruption = new AbortController()
    await using server = await serveHttp((request, response) => {
      if (request.method === 'GET' && request.headers['x-check'] !== undefined) {
        interruption.abort()
      } else {
        response.end('{}')
      }
    })
    const stops = createCheck('1/stops', {
      cost: { requests: 1 },
      run: async ({ listModels }) => {
        const { error } = await listModels({ headers: { 'x-check': '1' } })
        return fail(error?.message ?? '')
      },
    })
    // Checks with the most declared requests start first.
    const first = createCheck('1/first', { cost: stops.cost })
    const { document, exitCode } = await runWith(server.url, [first, stops, createCheck('1/last', ALONE)], {
      signal: interruption.signal,
      concurrency: 1,
    })
    expect(document.checks.map(({ verdict }) => verdict)).toEqual(['pass', 'not-testable', 'not-testable'])
    expect(document.checks[2]?.actual).toBe('The run was interrupted.')
    expect(exitCode).toBe(3)
  })

  test('an aborted run is incomplete even with acceptIncomplete', async () => {
    const interruption = new AbortController()
    await using server = await serveAny()
    const stops = createCheck('1/stops', { run: () => (interruption.abort(), Promise.resolve(pass('aborted'))) })
    const last = createCheck('1/last', { alone: true })
    const suite = createSuite([stops, last])
    const requirements = suite.requirements.map((row) => ({ ...row, level: 'unspecified' as const }))
    const { document, exitCode } = await runConformance({
      url: server.url,
      keys: KEYS,
      suite: { ...suite, requirements },
      signal: interruption.signal,
      acceptIncomplete: true,
    })
    expect(document.checks.map(({ verdict }) => verdict)).toEqual(['pass', 'not-testable'])
    expect([document.verdict, exitCode]).toEqual(['incomplete', 3])
    expect(document.remarks).toEqual(['The run was interrupted.'])
  })
})

describe('a 429 to a check that does not test rate limits', () => {
  async function limitedTimes(times: number, retryAfter: string) {
    let left = times
    return serveHttp((request, response) => {
      const isCheck = request.headers['x-check'] !== undefined
      if (isCheck && left > 0) {
        left -= 1
        response.writeHead(429, { 'retry-after': retryAfter }).end()
      } else {
        response.end('{}')
      }
    })
  }
  const ask = (key: KeyChoice = 'funded'): Check =>
    createCheck('4.2/ask', {
      operation: 'chat',
      cost: { requests: 1 },
      run: async ({ chat }) => statusOf(await chat({}, { headers: { 'x-check': '1' }, key })),
    })

  test('retries a request with a 429 after Retry-After', async () => {
    await using server = await limitedTimes(2, '0.01')
    const { entry } = await runWith(server.url, [ask()])
    expect(entry('4.2/ask')).toMatchObject({ verdict: 'pass', actual: 'returned 200' })
    expect(entry('4.2/ask').evidence?.map((exchange) => exchange.response?.status)).toEqual([429, 429, 200])
  })

  test('does not retry a request with a 429 if Retry-After is too long', async () => {
    await using server = await limitedTimes(2, '3600')
    const { entry } = await runWith(server.url, [ask()])
    expect(entry('4.2/ask').verdict).toBe('not-testable')
    expect(entry('4.2/ask').actual).toContain('kept returning 429, with Retry-After: 3600 s.')
  })

  test('returns a 429 to a check that tests the rate limit of its key', async () => {
    await using server = await limitedTimes(1, '0.01')
    expect((await runWith(server.url, [ask('no-credits')])).entry('4.2/ask').actual).toBe('returned 429')
  })
})

describe('model discovery', () => {
  const usesImages = createCheck('4.3/a', {
    operation: 'images',
    needs: ['funded', 'imagesModel'],
    run: ({ models }) => Promise.resolve(pass(models.images)),
  })
  const usesChat = createCheck('4.2/a', {
    operation: 'chat',
    needs: ['chatModel'],
    run: ({ models }) => Promise.resolve(pass(models.chat)),
  })

  /** Starts a server whose status for image requests depends on the model. `tried` collects these models. */
  function serveImagesWith(status: (model: string) => number, tried: string[] = []) {
    return serveHttp((request, response) => {
      let body = ''
      request.on('data', (data: Buffer) => (body += data.toString()))
      request.on('end', () => {
        const model = /"model":"([^"]+)"/.exec(body)?.[1] ?? ''
        if (request.url === '/v1/images/generations') {
          tried.push(model)
          response.writeHead(status(model)).end('{}')
        } else {
          response.end('{"data":[{"id":"vendorc-4o"},{"id":"o3-mini"}]}')
        }
      })
    })
  }

  test('model discovery tries models by ascending price, and uses the cheapest listed model for chat', async () => {
    const tried: string[] = []
    await using server = await serveImagesWith((model) => (model === 'vendora-v4-pro' ? 200 : 404), tried)
    const { entry, document } = await runWith(server.url, [usesImages, usesChat])
    expect(tried).toEqual(['vendora-v4-flash', 'vendorc-4o-mini', 'vendora-v4-pro'])
    expect(entry('4.3/a').actual).toBe('vendora-v4-pro')
    expect(entry('4.2/a').actual).toBe('o3-mini')
    expect(document.target.models).toEqual({ chat: 'o3-mini', images: 'vendora-v4-pro' })
  })

  test('model discovery skips operations that no check requires', async () => {
    const tried: string[] = []
    await using server = await serveImagesWith(() => 200, tried)
    await runWith(server.url, [usesChat])
    expect(tried).toEqual([])
  })

  test('model discovery ends without a result after trying all eight models', async () => {
    const tried: string[] = []
    await using server = await serveImagesWith(() => 404, tried)
    const { entry } = await runWith(server.url, [usesImages])
    expect(tried).toHaveLength(8)
    expect(entry('4.3/a').actual).toContain(
      'No model serves images: 8 were tried (responses: 404). If the target does not offer images, set without images.',
    )
  })

  test('model discovery stops when the account runs out of credits', async () => {
    const tried: string[] = []
    await using server = await serveImagesWith(() => 402, tried)
    const { entry } = await runWith(server.url, [usesImages])
    expect(tried).toHaveLength(1)
    expect(entry('4.3/a').actual).toContain('ran out of credits')
  })
})
