import { describe, expect, test } from 'vitest'
import type { Operation } from '../../contract/facts.ts'
import type { CauseEntry, CheckEntry } from '../../reports/conformance-document.ts'
import { type CheckFinding, findCauses, identifyCause } from './causes.ts'
import type { BreakdownGroup } from './fact-params.ts'
import type { Outcome } from './outcome.ts'
import type { RequestDifference } from './request-difference.ts'

let count = 0

function createFinding(operation: Operation, outcome: Outcome, changes: Partial<CheckEntry> = {}): CheckFinding {
  count += 1
  const entry: CheckEntry = {
    id: `0/check-${count}`,
    requirement: '0/a',
    section: '0',
    level: 'stated',
    title: 'does something',
    verdict: outcome.verdict,
    code: outcome.code,
    params: {},
    expected: [],
    actual: '',
    durationMs: 1,
    ...changes,
  }
  return { entry, operation, outcome }
}

/** Creates the failure of a request that differs from the plain one and got a wrong status. */
function wrongStatus(
  operation: Operation,
  expected: number | '2xx',
  actualStatus: number,
  difference?: RequestDifference,
  changes: Partial<CheckEntry> = {},
): CheckFinding {
  const outcome = { verdict: 'fail', code: 'unexpected-status', params: { actualStatus } } as const
  const expectation = { expected: { status: [expected] } }
  return createFinding(operation, { ...outcome, ...expectation, ...(difference && { difference }) }, changes)
}

function missingField(operation: Operation, path: string, verdict: 'fail' | 'warn' = 'fail'): CheckFinding {
  const expected = { field: path, type: 'string' } as const
  return createFinding(operation, { verdict, code: 'missing-field', params: { path }, expected })
}

function titlesOf(...findings: readonly CheckFinding[]): string[] {
  return findCauses(findings).map(({ title }) => title)
}

const TEMPERATURE = { parameter: 'temperature', value: 2.1 } as const
const TOP_P = { parameter: 'top_p', value: 2 } as const

describe('the ID of a cause', () => {
  test('consists of the code, the statuses and the kind of the requests', () => {
    expect(identifyCause(wrongStatus('chat', 400, 422, TEMPERATURE))).toBe('unexpected-status:422:400:invalid')
    expect(identifyCause(wrongStatus('chat', 401, 200, { credential: 'no-scheme' }))).toBe(
      'unexpected-status:200:401:credential',
    )
    expect(identifyCause(missingField('chat', 'choices[0].index'))).toBe('missing-field:chat')
  })

  test('contains no sentence', () => {
    const params = { actualStatus: 0, error: 'timeout' } as const
    const finding = createFinding('chat', { verdict: 'fail', code: 'no-response', params })
    expect(identifyCause(finding)).toBe('no-response:timeout')
  })
})

describe('grouping', () => {
  test('findings that differ only in the operation or in the parameter have one cause, whose title lists both', () => {
    const findings = [
      wrongStatus('chat', 400, 422, TEMPERATURE),
      wrongStatus('chat', 400, 422, TOP_P),
      wrongStatus('images', 400, 422, { parameter: 'n', value: 0 }),
    ]
    const causes = findCauses(findings)
    expect(causes.map(({ title }) => title)).toEqual([
      'Invalid requests to `POST /v1/chat/completions` and `POST /v1/images/generations` (`temperature`, `top_p` and `n`) get 422 instead of 400',
    ])
    expect(causes[0]?.checks).toEqual(findings.map(({ entry }) => entry.id))
  })

  test('findings with another status, another expected status or another kind of request have causes of their own', () => {
    expect(
      titlesOf(
        wrongStatus('chat', 400, 422, TEMPERATURE),
        wrongStatus('chat', 400, 500, TEMPERATURE),
        wrongStatus('chat', 404, 422, { parameter: 'model', value: 'x' }),
        wrongStatus('chat', 401, 422, { credential: 'unknown-key' }),
      ),
    ).toHaveLength(4)
  })

  test('the wrong fields of an operation have one cause, whose title lists them', () => {
    expect(titlesOf(missingField('chat', 'choices[0].index'), missingField('chat', 'choices[1].index'))).toEqual([
      'Chat completions have no `choices[].index`',
    ])
    expect(titlesOf(missingField('chat', 'usage.total_tokens'), missingField('chat', 'usage'))).toHaveLength(1)
    expect(
      titlesOf(missingField('chat', 'created'), missingField('images', 'created'), missingField('chat', 'id')),
    ).toEqual(['Chat completions have no `created` and `id`', 'Image results have no `created`'])
  })

  test('a wrong field of an error body and the same field of a result have causes of their own', () => {
    const [result, other] = [missingField('chat', 'error'), missingField('chat', 'error')]
    const ofError = { ...other, outcome: { ...other.outcome, expected: { rule: 'error-body' } as const } }
    expect(titlesOf(result, ofError)).toEqual([
      'Chat completions have no `error`',
      'Error bodies of `POST /v1/chat/completions` have no `error`',
    ])
  })

  test('a check that is not testable has the cause of the failed check that reports it', () => {
    const failure = wrongStatus('images', '2xx', 404, undefined, { id: '1/images-offered' })
    const outcome = { verdict: 'not-testable', code: 'request-not-served', params: { actualStatus: 404 } } as const
    const blocked = createFinding('images', outcome, { because: '1/images-offered' })
    const other = createFinding('images', outcome)
    const causes = findCauses([blocked, failure, other])
    expect(causes.map(({ title }) => title)).toEqual([
      'Requests to `POST /v1/images/generations` get 404',
      'A valid request was not served: the target returned 404',
    ])
    expect(causes[0]?.checks).toEqual([blocked.entry.id, '1/images-offered'])
  })

  test('known failures and accepted checks have no cause, and neither have passed checks', () => {
    expect(
      titlesOf(
        wrongStatus('chat', 400, 422, TEMPERATURE, { knownFailure: 'we know' }),
        createFinding(
          'chat',
          { verdict: 'not-testable', code: 'key-missing', params: { key: 'limited' } },
          { accepted: 'yes' },
        ),
        createFinding('chat', { verdict: 'pass', code: 'as-expected', params: {} }),
      ),
    ).toEqual([])
  })
})

describe('order', () => {
  test('failures come first, then what harms clients most, then the number of failures', () => {
    const lost = { code: 'words-lost', params: { words: 1, of: 9, lost: 'x' } } as const
    const charged = { code: 'wrong-charge', params: { bills: [] } } as const
    const findings = [
      missingField('models', 'id', 'warn'),
      missingField('chat', 'created'),
      missingField('images', 'data'),
      missingField('images', 'data'),
      wrongStatus('chat', 400, 422, TEMPERATURE),
      wrongStatus('chat', 400, 200, TEMPERATURE),
      createFinding('chat', { verdict: 'fail', ...charged }),
      createFinding('chat', { verdict: 'fail', ...lost }),
      createFinding('chat', { verdict: 'not-testable', code: 'key-missing', params: { key: 'limited' } }),
    ]
    expect(titlesOf(...findings)).toEqual([
      'Streams lack words of the completion',
      'Chats are not charged at the price of the table',
      'Requests to `POST /v1/chat/completions` with temperature 2.1 are served (200) instead of getting 400',
      'Requests to `POST /v1/chat/completions` with temperature 2.1 get 422 instead of 400',
      'Image results have no `data`',
      'Chat completions have no `created`',
      'Lists of models have no `id`',
      'No key with a low rate limit was given: set keys.limited',
    ])
  })
})

test('streams without an end come before streams without [DONE] and before other wrong forms', () => {
  const malformed = (problem: 'no-end' | 'no-done') =>
    createFinding('chat', { verdict: 'warn', code: 'stream-malformed', params: { problem } })
  expect(titlesOf(missingField('chat', 'created', 'warn'), malformed('no-done'), malformed('no-end'))[0]).toBe(
    'Streams end without a finish_reason and without [DONE], so that clients cannot detect a cut',
  )
})

describe('the command and the remedy of a cause', () => {
  const commandOf = (...changes: readonly Partial<CheckEntry>[]): CauseEntry['reproduce'] =>
    findCauses(changes.map((one) => wrongStatus('chat', 400, 422, TEMPERATURE, one)))[0]?.reproduce

  test('the command is the shortest one with a body', () => {
    const empty = "curl -X POST 'http://x' --data-raw ''"
    expect(commandOf({ reproduce: empty }, { reproduce: "curl -X POST 'http://x' --data-raw '{}' -i" })).toContain('{}')
    expect(commandOf({ reproduce: 'curl http://x -i' }, { reproduce: 'curl http://x' }, {})).toBe('curl http://x')
    expect(commandOf({})).toBeUndefined()
  })

  test('the command is that of a failure rather than that of a warning', () => {
    const warning = { verdict: 'warn', reproduce: 'curl x' } as const
    expect(commandOf(warning, { reproduce: 'curl longer' })).toBe('curl longer')
  })

  test('a status or an address that a proxy causes has a remedy', () => {
    const deviation = { code: 'unexpected-media-type', params: { actualMediaType: 'text/html' } }
    const params = { actualStatus: 413, deviation }
    const [tooLarge] = findCauses([createFinding('chat', { verdict: 'warn', code: 'large-body-rejected', params })])
    expect(tooLarge?.remedy).toContain('client_max_body_size')
    const address = { path: 'data[0].url', actual: 'http://other/v1/images/a.png', urlProblem: 'host' } as const
    const [url] = findCauses([createFinding('images', { verdict: 'fail', code: 'wrong-value', params: address })])
    expect(url).toMatchObject({ title: expect.stringContaining('does not forward the Host header') })
    expect(url?.remedy).toContain('proxy_set_header Host')
  })
})

describe('titles', () => {
  test.each<[RequestDifference, number, string]>([
    [{ parameter: 'n', omitted: true }, 400, 'Requests to `POST /v1/chat/completions` without n are served'],
    [{ credential: 'unknown-key' }, 401, 'Requests to `POST /v1/chat/completions` with an unknown key are served'],
    [
      { account: 'no-credits' },
      402,
      'Requests of an account without credits to `POST /v1/chat/completions` are served',
    ],
    [
      { parameter: 'model', value: 'x' },
      404,
      'Requests with an unknown model to `POST /v1/chat/completions` are served',
    ],
    [{ method: 'GET', path: '/v1/x' }, 404, 'Requests to another endpoint (`GET /v1/x`) are served'],
    [{ responses: 2, of: 9, model: 'm' }, 400, 'Requests to `POST /v1/chat/completions` for `m` are served'],
  ])('names what differs: %j', (difference, expected, title) => {
    expect(titlesOf(wrongStatus('chat', expected, 200, difference))).toEqual([
      `${title} (200) instead of getting ${expected}`,
    ])
  })

  test('a title lists at most four of many keys', () => {
    const defects = ['no-header', 'unknown-key', 'longer-key', 'other-scheme', 'empty-token', 'query'] as const
    const findings = defects.map((credential) => wrongStatus('models', 401, 200, { credential }))
    expect(titlesOf(...findings)).toEqual([
      'Requests without a valid bearer token to `GET /v1/models` (no Authorization header, an unknown key, a valid key with an extra character, a valid key with the scheme Basic and 2 more) are served (200) instead of getting 401',
    ])
  })

  test('a title shows how a response to an invalid request ended', () => {
    const outcome = { verdict: 'fail', code: 'no-response', params: { actualStatus: 0, error: 'timeout' } } as const
    const finding = createFinding('chat', { ...outcome, expected: { status: [400] }, difference: TEMPERATURE })
    expect(titlesOf(finding)).toEqual([
      'Requests to `POST /v1/chat/completions` with temperature 2.1 get no response in time instead of 400',
    ])
  })

  test('a title distinguishes completions that exceed the default from those that exceed their max_tokens', () => {
    const titleOf = (params: object) =>
      titlesOf(
        createFinding('chat', {
          verdict: 'fail',
          code: 'bound-exceeded',
          params: { path: 'usage.completion_tokens', actual: 575, ...params },
        }),
      )
    expect(titleOf({})).toEqual(['Completions have more tokens than `max_tokens` allows, according to their `usage`'])
    expect(titleOf({ isDefault: true })).toEqual([
      'Completions without `max_tokens` have more tokens than the default of 256 tokens allows, according to their `usage`',
    ])
  })

  test('a title names the parameters of requests that the specification does not cover', () => {
    const group = { endpoint: 'POST /v1/chat/completions', actualStatus: 500, requests: 1 }
    const titleOf = (...groups: readonly (readonly string[] | 'invalid UTF-8')[]) =>
      titlesOf(
        createFinding('chat', {
          verdict: 'fail',
          code: 'requests-broke-down',
          params: {
            broken: 1,
            requests: 9,
            by: groups.map((one) => ({
              ...group,
              ...(typeof one === 'string' ? { invalidUtf8: true } : { uncovered: one }),
            })),
          },
        }),
      )
    expect(titleOf(['top_k'], 'invalid UTF-8')).toEqual([
      'Requests to `POST /v1/chat/completions` with invalid UTF-8 and with values of `top_k` that the specification does not cover break down with 500; valid requests do not',
    ])
    expect(titleOf(['messages'], ['max_tokens'], ['messages'])).toEqual([
      'Requests to `POST /v1/chat/completions` with values of `messages` and `max_tokens` that the specification does not cover break down with 500; valid requests do not',
    ])
    expect(titleOf([])).toEqual([
      'Requests to `POST /v1/chat/completions` that the specification does not cover break down with 500; valid requests do not',
    ])
  })

  test('a title of requests that break down in parallel omits breakdowns with another explanation', () => {
    const group = { endpoint: 'POST /v1/chat/completions', requests: 4 }
    const cut = { ...group, parallel: 16, actualStatus: 200, error: 'closed-early' } as const
    const uncovered = { ...group, actualStatus: 500, uncovered: ['messages'] }
    const titleOf = (...by: readonly BreakdownGroup[]) =>
      titlesOf(
        createFinding('chat', {
          verdict: 'fail',
          code: 'requests-broke-down',
          params: { broken: 8, requests: 90, by },
        }),
      )
    const start = 'Requests to `POST /v1/chat/completions` with 15 others in parallel break down with'
    expect(titleOf(cut, uncovered)).toEqual([`${start} a truncated response`])
    expect(titleOf(cut, { ...group, actualStatus: 500 })).toEqual([`${start} 500 or a truncated response`])
  })

  test('a title names the requests that break down, with the response', () => {
    const by = [{ endpoint: 'POST /v1/chat/completions', stream: true, actualStatus: 503, requests: 4 }]
    const params = { broken: 4, requests: 90, by }
    expect(titlesOf(createFinding('chat', { verdict: 'fail', code: 'requests-broke-down', params }))).toEqual([
      'Requests to `POST /v1/chat/completions` with stream true break down with 503 (a rate limit that returns 503 instead of 429 has this effect)',
    ])
  })
})
