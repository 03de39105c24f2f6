import { MESSAGE_ROLES } from '../../../contract/facts.ts'
import type { Mutant } from '../mutant.ts'
import { changeSuccesses, member, reject } from '../change/responses.ts'
import { all, isStreamRequest, type Match, not, to, withBody, withFields } from '../change/match.ts'
import { rewriteFields } from '../change/requests.ts'
import { PLAIN_CHAT_CHECKS } from './groups.ts'
import { missingField, observedStatus, unexpectedStatus, wrongType } from '../result-match.ts'

/** Changes a member of each completion that is not a stream. */
function inCompletion(name: string, change: (value: unknown) => unknown): Mutant['wire'] {
  return changeSuccesses(all(to('chat'), not(isStreamRequest)), member(name, change))
}

const fields: readonly Mutant[] = [
  {
    id: '2.3/numeric-id',
    breaks: 'completions have numbers for ids',
    kills: { '2.3/id': { code: 'wrong-type', params: { path: 'id', actualType: 'number' } } },
    wire: inCompletion('id', (value) => Number.parseInt(String(value).slice(-8), 16)),
  },
  {
    id: '2.3/other-object',
    breaks: 'completions call themselves text_completion',
    kills: { '2.3/object': { code: 'wrong-value', params: { path: 'object', actual: 'text_completion' } } },
    wire: inCompletion('object', () => 'text_completion'),
  },
  {
    id: '2.3/created-in-ms',
    breaks: 'the created time of completions is in milliseconds',
    kills: { '2.3/created': { code: 'wrong-value', params: { path: 'created', unit: 'ms' } } },
    wire: inCompletion('created', (value) => Number(value) * 1000),
  },
  {
    id: '2.3/created-with-fraction',
    breaks: 'the created time of completions has a fraction',
    kills: { '2.3/created': { code: 'wrong-type', params: { path: 'created', actualType: 'number' } } },
    wire: inCompletion('created', (value) => Number(value) + 0.25),
  },
  {
    id: '2.3/other-model-named',
    breaks: 'completions name the model of the provider behind the gateway',
    kills: {
      '2.3/model': { code: 'wrong-value', params: { path: 'model', actual: 'vendora-v4-flash-0801' } },
      '2.1/all-answer-chat': {
        code: 'wrong-value',
        params: {
          difference: { parameter: 'model', value: 'vendora-v4-flash' },
          path: 'model',
          actual: 'vendora-v4-flash-0801',
        },
      },
    },
    wire: inCompletion('model', (value) => `${String(value)}-0801`),
  },
  {
    id: '2.3/no-index',
    breaks: 'choices have no index',
    kills: { '2.3/choice-index': missingField('choices[0].index') },
    wire: inCompletion('index', () => undefined),
  },
  {
    id: '2.3/role-model',
    breaks: 'replies have the role "model"',
    kills: {
      '2.3/message-role': { code: 'wrong-value', params: { path: 'choices[0].message.role', actual: 'model' } },
    },
    wire: inCompletion('role', () => 'model'),
  },
  {
    id: '2.3/content-in-parts',
    breaks: 'the content of replies is an array of parts',
    kills: {
      '2.3/message-content': {
        code: 'wrong-type',
        params: { path: 'choices[0].message.content', actualType: 'array' },
      },
    },
    wire: inCompletion('content', (text) => [{ type: 'text', text }]),
  },
  {
    id: '2.3/null-finish-reason',
    breaks: 'completions have null for finish_reason',
    kills: {
      '2.3/finish-reason': { code: 'wrong-type', params: { path: 'choices[0].finish_reason', actualType: 'null' } },
    },
    wire: inCompletion('finish_reason', () => null),
  },
  {
    id: '2.3/no-choices',
    breaks: 'completions have no choices',
    kills: {
      '2.3/choice-index': { code: 'wrong-count', params: { path: 'choices', actualCount: 0 } },
      '2.3/message-role': { code: 'wrong-count', params: { path: 'choices', actualCount: 0 } },
      '2.3/message-content': { code: 'wrong-count', params: { path: 'choices', actualCount: 0 } },
      '2.3/finish-reason': { code: 'wrong-count', params: { path: 'choices', actualCount: 0 } },
    },
    wire: inCompletion('choices', () => []),
  },
]

const shapesOfSome: readonly Mutant[] = [
  {
    id: '4.2/no-reason-for-a-cut',
    breaks: 'a response that max_tokens cuts has null for finish_reason',
    kills: {
      '4.2/every-completion': {
        code: 'wrong-type',
        params: { path: 'choices[0].finish_reason', actualType: 'null' },
      },
    },
    wire: changeSuccesses(
      all(to('chat'), not(isStreamRequest), withBody(/Count from 1 to 1000/)),
      member('finish_reason', () => null),
    ),
  },
  {
    id: '4.2/no-usage-of-one-model',
    breaks: 'the responses of one model have no usage',
    kills: {
      '4.2/every-completion': {
        code: 'missing-field',
        params: { difference: { model: 'vendorc-4o' }, path: 'usage' },
      },
    },
    wire: changeSuccesses(
      all(
        to('chat'),
        not(isStreamRequest),
        withFields(({ model }) => model === 'vendorc-4o'),
      ),
      member('usage', () => undefined),
    ),
  },
  {
    id: '2.1/model-without-streams',
    breaks: 'one model has no streams',
    kills: { '2.1/all-stream-chat': unexpectedStatus(400, { parameter: 'model', value: 'o3-mini' }) },
    wire: reject(
      all(
        to('chat'),
        isStreamRequest,
        withFields(({ model }) => model === 'o3-mini'),
      ),
      400,
    ),
  },
]

const counts: readonly Mutant[] = [
  ...['prompt_tokens', 'completion_tokens', 'total_tokens'].map((name) => ({
    id: `2.3/${name.replace('_', '-')}-as-text`,
    breaks: `${name} is a text, not an integer`,
    kills: { '2.3/usage': wrongType(`usage.${name}`, 'string') },
    // Checks of the sum and of the bounds require numbers.
    mayAffect: ['2.3/usage-adds-up', '4.2/max-tokens-bound', '8/max-tokens-default'],
    wire: inCompletion(name, String),
  })),
  {
    id: '2.3/no-usage',
    breaks: 'completions have no usage',
    kills: { '2.3/usage': missingField('usage') },
    mayAffect: ['4.2/max-tokens-bound', '8/max-tokens-default'],
    wire: inCompletion('usage', () => undefined),
  },
  {
    id: '2.3/total-without-prompt',
    breaks: 'total_tokens leaves the prompt out',
    kills: {
      '2.3/usage-adds-up': {
        code: 'wrong-value',
        params: { path: 'usage', actual: { prompt_tokens: 9, completion_tokens: 16, total_tokens: 16 } },
      },
    },
    wire: inCompletion('total_tokens', () => 16),
  },
  {
    id: '2.3/one-id-for-all',
    breaks: 'all completions have the same id',
    kills: { '2.3/ids-differ': { code: 'duplicate-value', params: { path: 'id', actual: 'chatcmpl-1' } } },
    wire: inCompletion('id', () => 'chatcmpl-1'),
  },
]

function withRole(role: string): Match {
  return withFields(({ messages }) => Array.isArray(messages) && messages.some((message) => message?.role === role))
}

/** Matches conversations with a message of the role. */
const CONVERSATIONS = {
  system: ['system, user', 'system'],
  user: ['user'],
  assistant: ['user, assistant, user', 'assistant, user', 'user, assistant', 'assistant'],
} as const

const roles: readonly Mutant[] = MESSAGE_ROLES.map((role) => ({
  id: `2.3/role-${role}-refused`,
  breaks: `messages with the role "${role}" are rejected`,
  kills: {
    [`2.3/role-${role}`]: {
      code: 'rejected-in-all-forms',
      params: { responses: CONVERSATIONS[role].map((form) => ({ form, actualStatus: 400 })) },
    },
  },
  // Nearly every chat has a user message.
  ...(role === 'user' ? { mayAffect: PLAIN_CHAT_CHECKS } : {}),
  wire: reject(all(to('chat'), withRole(role)), 400),
}))

/** Serves a message that the emulator rejects. */
function mended(has: (message: Record<string, unknown>) => boolean, fields: Record<string, string>): Mutant['wire'] {
  return rewriteFields(to('chat'), ({ messages }) => ({
    messages: Array.isArray(messages)
      ? messages.map((message) => (has(Object(message)) ? { ...message, ...fields } : message))
      : messages,
  }))
}

const openPoints: readonly Mutant[] = [
  {
    id: '2.3/number-for-text',
    breaks: 'nothing: the content of a request message is not specified',
    kills: { '2.3/message-number-content': observedStatus(200) },
    wire: mended(({ content }) => content === 5, { content: '5' }),
  },
  {
    id: '2.3/number-for-role',
    breaks: 'nothing: the roles of a request message beyond three are not specified',
    kills: { '2.3/message-number-role': observedStatus(200) },
    wire: mended(({ role }) => role === 5, { role: 'user' }),
  },
  {
    id: '2.3/developer-refused',
    breaks: 'nothing: a target may reject roles that are not specified',
    kills: { '2.3/role-developer': observedStatus(400) },
    wire: reject(all(to('chat'), withRole('developer')), 400),
  },
  {
    id: '2.3/unknown-role-served',
    breaks: 'nothing: a target may serve roles that are not specified',
    kills: { '2.3/role-unknown': observedStatus(200) },
    wire: mended(({ role }) => role === 'touchstone', { role: 'user' }),
  },
  {
    id: '2.3/name-refused',
    breaks: 'nothing: a target may reject message fields that are not specified',
    kills: { '2.3/message-name-field': observedStatus(400) },
    wire: reject(
      all(
        to('chat'),
        withFields(
          ({ messages }) => Array.isArray(messages) && messages.some((message) => message?.name !== undefined),
        ),
      ),
      400,
    ),
  },
  {
    id: '2.3/role-assumed',
    breaks: 'nothing: a target may take a message without a role for one of the user',
    kills: { '2.3/message-without-role': observedStatus(200) },
    wire: mended((message) => 'content' in message && !('role' in message), { role: 'user' }),
  },
  {
    id: '2.3/content-assumed',
    breaks: 'nothing: a target may take a message without content for an empty one',
    kills: { '2.3/message-without-content': observedStatus(200) },
    wire: mended((message) => 'role' in message && !('content' in message), { content: '' }),
  },
  {
    id: '2.3/null-content-served',
    breaks: 'nothing: a target may take null for empty content',
    kills: { '2.3/message-null-content': observedStatus(200) },
    wire: mended(({ content }) => content === null, { content: '' }),
  },
]

export const completionMutants: readonly Mutant[] = [...fields, ...shapesOfSome, ...counts, ...roles, ...openPoints]
