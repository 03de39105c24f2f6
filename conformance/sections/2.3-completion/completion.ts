import { type AnyCheck, calculateMaxCost, defineCheck, defineSummaryCheck } from '../../engine/check.ts'
import { readListedIds } from '../../engine/discover-models.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import {
  compareValue,
  createWrongValue,
  defineField,
  findFirstDeviation,
  findTypeDeviation,
  type ResultField,
} from '../shared/fields.ts'
import { getMember, getCompletionTokens } from '../shared/response-access.ts'
import { idsDifferCheck } from './unique-ids.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { listSuccessfulResponses } from '../shared/recorded-responses.ts'
import { measureStream } from '../4.2-stream/stream-length.ts'
import { parseStream } from '../shared/stream.ts'

function usageDeviation(json: unknown): Deviation | undefined {
  return (
    findTypeDeviation(json, ['usage'], 'object') ??
    findFirstDeviation(
      ['prompt_tokens', 'completion_tokens', 'total_tokens'].map((name) =>
        findTypeDeviation(json, ['usage', name], 'count'),
      ),
    )
  )
}

const FIELDS: readonly ResultField[] = [
  defineField('2.3/id', 'gives a completion an id, a string', 'id', 'string'),
  defineField('2.3/object', 'gives a completion the object "chat.completion"', 'object', { value: 'chat.completion' }),
  defineField('2.3/created', 'gives a completion a created time in whole seconds', 'created', 'unix-seconds'),
  defineField('2.3/choice-index', 'gives each choice an index, an integer', 'choices[].index', 'integer'),
  defineField('2.3/message-role', 'gives a message the role "assistant"', 'choices[].message.role', {
    value: 'assistant',
  }),
  defineField(
    '2.3/message-content',
    'returns the content of a message as a string',
    'choices[].message.content',
    'string',
  ),
  defineField('2.3/finish-reason', 'gives each choice a finish_reason, a string', 'choices[].finish_reason', 'string'),
  {
    id: '2.3/usage',
    title: 'gives usage its three counts, all integers',
    expected: { rule: 'usage' },
    find: usageDeviation,
  },
]

/** Deviation of a response that is no JSON, such as a stream, where other responses to the same request are. */
export const NOT_JSON: Deviation = { code: 'wrong-body', params: { problem: 'not-a-json-object' } }

export interface KnownModels {
  /** Models that responses may name instead of the requested ones, by requested model. */
  readonly aliases?: Readonly<Record<string, string>> | undefined
  readonly listed: readonly string[]
}

/** Compares the model that a completion names with that of the request, or with its declared alias. */
export function findModelDeviation(
  json: unknown,
  model: string,
  { aliases = {}, listed }: KnownModels,
): Deviation | undefined {
  const named = getMember(json, 'model')
  if (typeof named === 'string' && aliases[model] === named) return undefined
  const deviation = compareValue(json, ['model'], model)
  return deviation?.code === 'wrong-value' && listed.length > 0
    ? { ...deviation, params: { ...deviation.params, isListed: listed.includes(String(named)) } }
    : deviation
}

/** Finds the first deviation from section 2.3. `model` is the ID in the request, which the completion must repeat. */
export function findCompletionDeviation(json: unknown, model: string, known: KnownModels): Deviation | undefined {
  return findModelDeviation(json, model, known) ?? findFirstDeviation(FIELDS.map(({ find }) => find(json)))
}

export const USAGE_SUM_CONSEQUENCE =
  'clients that calculate costs from total_tokens get a different amount than clients that add the two counts'

/** Compares `total_tokens` of a usage object with the sum of its prompt and completion tokens. */
export function findUsageSumDeviation(usage: unknown): Deviation | undefined {
  const sum = Number(getMember(usage, 'prompt_tokens')) + Number(getMember(usage, 'completion_tokens'))
  return getMember(usage, 'total_tokens') === sum ? undefined : createWrongValue(['usage'], usage)
}

const MAX_EVIDENCE = 2

// The specification shows only "stop", but SDKs and clients recognize a truncated completion by "length".
export const finishReasonAtBoundCheck = defineSummaryCheck({
  id: '2.3/finish-reason-at-bound',
  requirement: '2.3/finish-reason-open',
  title: 'the finish_reason of completions that max_tokens truncated',
  operation: 'chat',
  summarize(run) {
    const cut = listSuccessfulResponses(run, 'chat').filter(({ logged: { exchange }, fields }) => {
      const tokens = exchange.events.length > 0 ? measureStream(exchange).tokens : getCompletionTokens(exchange.json)
      return tokens !== undefined && tokens === fields['max_tokens']
    })
    const reasons = cut.map(({ logged: { exchange } }) =>
      exchange.events.length > 0
        ? parseStream(exchange).withChoice.at(-1)?.finishReason
        : getMember(exchange.json, 'choices', 0, 'finish_reason'),
    )
    if (cut.length === 0) return { outcome: expect.markNoEvidence('cut-completion') }
    const shown = [...new Set(reasons.map((reason) => JSON.stringify(reason ?? null)))].sort()
    const outcome = expect.observeFact(
      { kind: 'finish-reasons', reasons: shown.map((text) => createExcerpt(JSON.parse(text))) },
      'completions that max_tokens truncated',
    )
    return { outcome, evidence: cut.slice(0, MAX_EVIDENCE).map(({ logged }) => logged) }
  },
})

export const completionChecks: readonly AnyCheck[] = [
  ...FIELDS.map(({ id, title, expected, find }) =>
    defineCheck({
      id,
      requirement: id,
      title,
      operation: 'chat',
      run: async ({ shared }) => expect.checkResponse(await shared.chat(), expected, ({ json }) => find(json)),
    }),
  ),
  defineCheck({
    id: '2.3/model',
    requirement: '2.3/model',
    title: 'names the model of the request in a completion',
    operation: 'chat',
    cost: calculateMaxCost('chat', 2),
    async run({ shared, models, declared: { aliases } }) {
      const response = await shared.chat()
      const isOther = getMember(response.json, 'model') !== models.chat
      const listed = isOther ? readListedIds((await shared.listModels()).json) : []
      return expect.checkResponse(response, { field: 'model', value: models.chat }, ({ json }) =>
        findModelDeviation(json, models.chat, { aliases, listed }),
      )
    },
  }),
  idsDifferCheck,
  defineCheck({
    id: '2.3/usage-adds-up',
    requirement: '2.3/usage-total',
    title: 'reports total_tokens as the sum of prompt_tokens and completion_tokens',
    operation: 'chat',
    async run({ shared }) {
      const response = await shared.chat()
      const usage = getMember(response.json, 'usage')
      if (expect.isServed(response) && usageDeviation(response.json) !== undefined) {
        return expect.markNoEvidence('usage')
      }
      return expect.checkConvention(
        response,
        { rule: 'usage-adds-up' },
        () => findUsageSumDeviation(usage),
        USAGE_SUM_CONSEQUENCE,
      )
    },
  }),
  finishReasonAtBoundCheck,
]
