import { defineCheck } from '../engine/check.ts'
import type { Check } from '../engine/check.ts'
import * as expect from '../outcomes/expect.ts'
import { costOf } from './operation.ts'
import { at, isCount, isObject, items, show, timestampProblem } from './read.ts'

interface Field {
  readonly name: string
  readonly title: string
  readonly expected: string
  problem(completion: unknown): string | undefined
}

/** Looks at each choice; a completion without any has no answer in it. */
function eachChoice(
  completion: unknown,
  problem: (choice: unknown, place: string) => string | undefined,
): string | undefined {
  const choices = at(completion, 'choices')
  if (!Array.isArray(choices) || choices.length === 0) return `choices is ${show(choices)}, not an array with items`
  return items(choices)
    .map((choice, index) => problem(choice, `choices[${index}]`))
    .find((found) => found !== undefined)
}

const FIELDS: readonly Field[] = [
  {
    name: 'id',
    title: 'a completion has an id, a string',
    expected: 'a string id',
    problem: (json) => (typeof at(json, 'id') === 'string' ? undefined : `id is ${show(at(json, 'id'))}`),
  },
  {
    name: 'object',
    title: 'a completion has the object "chat.completion"',
    expected: 'object = "chat.completion"',
    problem: (json) => (at(json, 'object') === 'chat.completion' ? undefined : `object is ${show(at(json, 'object'))}`),
  },
  {
    name: 'created',
    title: 'a completion has a created time in whole seconds',
    expected: 'created, an integer Unix time in seconds',
    problem: (json) => timestampProblem('created', at(json, 'created')),
  },
  {
    name: 'choice-index',
    title: 'each choice has an index, an integer',
    expected: 'choices, each with an integer index',
    problem: (json) =>
      eachChoice(json, (choice, place) =>
        Number.isSafeInteger(at(choice, 'index')) ? undefined : `${place}.index is ${show(at(choice, 'index'))}`,
      ),
  },
  {
    name: 'message-role',
    title: 'the role of a reply is "assistant"',
    expected: 'message.role = "assistant"',
    problem: (json) =>
      eachChoice(json, (choice, place) => {
        const role = at(choice, 'message', 'role')
        return role === 'assistant' ? undefined : `${place}.message.role is ${show(role)}`
      }),
  },
  {
    name: 'message-content',
    title: 'the content of a reply is a string',
    expected: 'message.content, a string',
    problem: (json) =>
      eachChoice(json, (choice, place) => {
        const content = at(choice, 'message', 'content')
        return typeof content === 'string' ? undefined : `${place}.message.content is ${show(content)}`
      }),
  },
  {
    name: 'finish-reason',
    title: 'each choice has a finish_reason, a string',
    expected: 'finish_reason, a string',
    problem: (json) =>
      eachChoice(json, (choice, place) => {
        const reason = at(choice, 'finish_reason')
        return typeof reason === 'string' ? undefined : `${place}.finish_reason is ${show(reason)}`
      }),
  },
  {
    name: 'usage',
    title: 'usage has its three counts, all integers',
    expected: 'usage with prompt_tokens, completion_tokens and total_tokens, integers of at least 0',
    problem(json) {
      if (!isObject(at(json, 'usage'))) return `usage is ${show(at(json, 'usage'))}`
      const wrong = ['prompt_tokens', 'completion_tokens', 'total_tokens'].find(
        (name) => !isCount(at(json, 'usage', name)),
      )
      return wrong === undefined ? undefined : `usage.${wrong} is ${show(at(json, 'usage', wrong))}`
    },
  },
]

/** What speaks against a completion object of the model; nothing where all its fields are as the document has them. */
export function completionProblem(json: unknown, model: string): string | undefined {
  const used = at(json, 'model')
  if (used !== model) return `model is ${show(used)}`
  return FIELDS.map(({ problem }) => problem(json)).find((found) => found !== undefined)
}

const fieldChecks = FIELDS.map(({ name, title, expected, problem }) =>
  defineCheck({
    id: `2.3/${name}`,
    requirement: `2.3/${name}`,
    title,
    operation: 'chat',
    needs: ['key', 'chatModel'],
    cost: costOf('chat', 1),
    run: async ({ chat }) => expect.holds(await chat(), expected, ({ json }) => problem(json)),
  }),
)

export const modelUsed = defineCheck({
  id: '2.3/model',
  requirement: '2.3/model',
  title: 'a completion names the model that was asked for',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 1),
  async run({ chat, models }) {
    return expect.holds(await chat(), `model = "${models.chat}"`, ({ json }) =>
      at(json, 'model') === models.chat ? undefined : `model is ${show(at(json, 'model'))}`,
    )
  },
})

export const idsDiffer = defineCheck({
  id: '2.3/ids-differ',
  requirement: '2.3/unique-ids',
  title: 'two completions have different ids',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ chat }) {
    const first = await chat()
    const second = await chat()
    return expect.keeps(
      expect.served(first) ? second : first,
      'different ids',
      ({ json }) => (at(json, 'id') === at(first.json, 'id') ? `both have the id ${show(at(json, 'id'))}` : undefined),
      'clients that keep answers by id (caches, tracing, chat histories) overwrite one answer with another',
    )
  },
})

export const usageAddsUp = defineCheck({
  id: '2.3/usage-adds-up',
  requirement: '2.3/usage-total',
  title: 'total_tokens is the sum of prompt_tokens and completion_tokens',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 1),
  async run({ chat }) {
    return expect.keeps(
      await chat(),
      'total_tokens = prompt_tokens + completion_tokens',
      ({ json }) => {
        const sum = Number(at(json, 'usage', 'prompt_tokens')) + Number(at(json, 'usage', 'completion_tokens'))
        return at(json, 'usage', 'total_tokens') === sum ? undefined : `usage is ${show(at(json, 'usage'))}`
      },
      'clients that account by total_tokens book other costs than those that add the two parts',
    )
  },
})

export const completionChecks: readonly Check[] = [...fieldChecks, modelUsed, idsDiffer, usageAddsUp]
