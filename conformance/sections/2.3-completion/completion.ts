import { type AnyCheck, calculateMaxCost, defineCheck } from '../../engine/check.ts'
import { readListedIds } from '../../engine/discover-models.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import {
  findItemDeviation,
  findFirstDeviation,
  findTypeDeviation,
  compareValue,
  createWrongValue,
} from '../shared/fields.ts'
import { getMember } from '../shared/response-access.ts'
import { idsDifferCheck } from './unique-ids.ts'

interface Field {
  readonly id: string
  readonly title: string
  readonly expected: Expectation
  find(completion: unknown): Deviation | undefined
}

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

const FIELDS: readonly Field[] = [
  {
    id: '2.3/id',
    title: 'gives a completion an id, a string',
    expected: { field: 'id', type: 'string' },
    find: (json) => findTypeDeviation(json, ['id'], 'string'),
  },
  {
    id: '2.3/object',
    title: 'gives a completion the object "chat.completion"',
    expected: { field: 'object', value: 'chat.completion' },
    find: (json) => compareValue(json, ['object'], 'chat.completion'),
  },
  {
    id: '2.3/created',
    title: 'gives a completion a created time in whole seconds',
    expected: { field: 'created', type: 'unix-seconds' },
    find: (json) => findTypeDeviation(json, ['created'], 'unix-seconds'),
  },
  {
    id: '2.3/choice-index',
    title: 'gives each choice an index, an integer',
    expected: { field: 'choices[].index', type: 'integer' },
    find: (json) =>
      findItemDeviation(json, ['choices'], (path) => findTypeDeviation(json, [...path, 'index'], 'integer')),
  },
  {
    id: '2.3/message-role',
    title: 'gives a message the role "assistant"',
    expected: { field: 'choices[].message.role', value: 'assistant' },
    find: (json) =>
      findItemDeviation(json, ['choices'], (path) => compareValue(json, [...path, 'message', 'role'], 'assistant')),
  },
  {
    id: '2.3/message-content',
    title: 'returns the content of a message as a string',
    expected: { field: 'choices[].message.content', type: 'string' },
    find: (json) =>
      findItemDeviation(json, ['choices'], (path) =>
        findTypeDeviation(json, [...path, 'message', 'content'], 'string'),
      ),
  },
  {
    id: '2.3/finish-reason',
    title: 'gives each choice a finish_reason, a string',
    expected: { field: 'choices[].finish_reason', type: 'string' },
    find: (json) =>
      findItemDeviation(json, ['choices'], (path) => findTypeDeviation(json, [...path, 'finish_reason'], 'string')),
  },
  {
    id: '2.3/usage',
    title: 'gives usage its three counts, all integers',
    expected: { rule: 'usage' },
    find: usageDeviation,
  },
]

/** What is known about the models of a target. */
export interface KnownModels {
  /** Models that responses may name instead of the requested ones, by requested model. */
  readonly aliases?: Readonly<Record<string, string>> | undefined
  /** IDs in the list of models. */
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

/**
 * Finds the first deviation of a completion from section 2.3. `model` is the ID in the request, which the completion
 * must repeat.
 */
export function findCompletionDeviation(json: unknown, model: string, known: KnownModels): Deviation | undefined {
  return findModelDeviation(json, model, known) ?? findFirstDeviation(FIELDS.map(({ find }) => find(json)))
}

const fieldChecks = FIELDS.map(({ id, title, expected, find }) =>
  defineCheck({
    id,
    requirement: id,
    title,
    operation: 'chat',
    run: async ({ shared }) => expect.checkResponse(await shared.chat(), expected, ({ json }) => find(json)),
  }),
)

export const modelUsedCheck = defineCheck({
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
})

export const USAGE_SUM_CONSEQUENCE =
  'clients that calculate costs from total_tokens get a different amount than clients that add the two counts'

/**
 * Compares `total_tokens` of a usage object with the sum of its prompt and completion tokens. An absent count is a
 * deviation.
 */
export function findUsageSumDeviation(usage: unknown): Deviation | undefined {
  const sum = Number(getMember(usage, 'prompt_tokens')) + Number(getMember(usage, 'completion_tokens'))
  return getMember(usage, 'total_tokens') === sum ? undefined : createWrongValue(['usage'], usage)
}

export const usageAddsUpCheck = defineCheck({
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
})

export const completionChecks: readonly AnyCheck[] = [...fieldChecks, modelUsedCheck, idsDifferCheck, usageAddsUpCheck]
