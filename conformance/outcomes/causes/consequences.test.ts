import { expect, test } from 'vitest'
import { MODELS, type Operation } from '../../../contract/facts.ts'
import { findCauses } from './find-causes.ts'
import type { CheckFinding } from './finding.ts'
import { createFinding, createServedFinding, summarizeCauses } from './testing/findings.ts'

const wrongType = (operation: Operation, path: string): CheckFinding =>
  createFinding(operation, {
    verdict: 'fail',
    code: 'wrong-type',
    params: { path, actualType: 'object', actual: {} },
    expected: { field: path, type: 'object' },
  })

test('attributes a list without any of the eight models to a wrong `data`', () => {
  const none = createFinding('models', {
    verdict: 'fail',
    code: 'models-not-listed',
    params: { missing: MODELS.map(({ id }) => id) },
    expected: { rule: 'all-models-listed' },
  })
  expect(summarizeCauses([none, wrongType('models', 'data')])).toEqual(['The list of models has a wrong `data`: 2'])
  expect(summarizeCauses([none])).toEqual(['The target lists none of the eight models: 1'])
  const empty = createFinding('models', {
    verdict: 'not-testable',
    code: 'no-evidence',
    params: { missing: 'listed-model' },
  })
  expect(summarizeCauses([none, empty])).toEqual(['The list of models is empty: 2'])
})

test('attributes images that cannot be read for lack of a URL to a wrong `data`', () => {
  const unreadable = createFinding('images', {
    verdict: 'not-testable',
    code: 'image-unreadable',
    params: { problem: 'no-url' },
  })
  expect(summarizeCauses([unreadable, wrongType('images', 'data')])).toEqual(['Image results have a wrong `data`: 2'])
})

test('attributes breakdowns of several operations to the invalid UTF-8 of their requests', () => {
  const operations = ['chat', 'speech'] as const
  const broken = operations.map((operation) =>
    createFinding(operation, {
      verdict: 'fail',
      code: 'requests-broke-down',
      params: {
        broken: 1,
        requests: 9,
        by: [{ endpoint: 'POST /v1', invalidUtf8: true, actualStatus: 500, requests: 1 }],
      },
      expected: { rule: 'no-breakdown' },
    }),
  )
  const served = operations.flatMap((operation) => Array.from({ length: 6 }, () => createServedFinding(operation)))
  expect(summarizeCauses([...broken, ...served])).toEqual([
    'Requests with invalid UTF-8 break down: `POST /v1/chat/completions` and `POST /v1/audio/speech` get 500: 2',
  ])
})

test('shows a request with a body rather than a shorter one without', () => {
  const rejected = (reproduce: string): CheckFinding =>
    createFinding(
      'chat',
      {
        verdict: 'fail',
        code: 'unexpected-status',
        params: { actualStatus: 422 },
        expected: { status: [400] },
      },
      { reproduce },
    )
  const withBody = "curl -sS -i -X POST 'http://x/v1' --data-raw '{}'"
  const commands = ["curl -sS -i -X POST 'http://x'", "curl -sS -i -X POST 'http://x' --data-raw ''", withBody]
  expect(findCauses(commands.map(rejected))[0]?.reproduce).toBe(withBody)
  expect(findCauses([rejected(commands[0] ?? '')])[0]?.reproduce).toBe(commands[0])
})

test('names one cause if at least three operations have no results', () => {
  const withoutResult = (operation: Operation): CheckFinding[] =>
    Array.from({ length: 3 }, () =>
      createFinding(operation, { verdict: 'not-testable', code: 'no-evidence', params: { missing: 'result' } }),
    )
  const [chat, images, speech] = [withoutResult('chat'), withoutResult('images'), withoutResult('speech')]
  expect(summarizeCauses([...chat, ...images, ...speech])).toEqual([
    'Responses of `POST /v1/chat/completions`, `POST /v1/images/generations` and `POST /v1/audio/speech` have a 2xx status and no result: 9',
  ])
  expect(summarizeCauses([...chat, ...images])).toHaveLength(2)
})
