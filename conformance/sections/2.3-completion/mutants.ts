import type { Mutant } from '../../mutation/mutant.ts'
import { cacheWithout } from '../../mutation/change/cache.ts'
import { changeSuccesses, changeProperty, rejectRequests, setProperty } from '../../mutation/change/responses.ts'
import {
  isCompletionRequest,
  matchAll,
  matchBody,
  matchFields,
  matchFieldsOf,
  matchOperation,
  type RequestMatcher,
} from '../../mutation/change/match.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import { changeChunks } from '../../mutation/change/stream.ts'
import { PLAIN_CHAT_CHECKS } from '../shared/mutants-check-groups.ts'
import {
  matchMissingField,
  matchObservedStatus,
  matchWrongCount,
  matchWrongType,
  matchWrongValue,
} from '../../mutation/result-match.ts'

function inCompletion(name: string, change: (value: unknown) => unknown): Mutant['hooks'] {
  return changeSuccesses(isCompletionRequest, changeProperty(name, change))
}

function withRole(role: string): RequestMatcher {
  return matchFields(({ messages }) => Array.isArray(messages) && messages.some((message) => message?.role === role))
}

/** Roles with the conversations that their checks send. */
const REJECTED_ROLES = [
  { check: '2.3/role-system', role: 'system', forms: ['system, user', 'system'] },
  // Nearly every chat contains a user message, so the mutant also affects the plain chats of other checks.
  { check: '2.3/role-user', role: 'user', forms: ['user'], mayAffect: PLAIN_CHAT_CHECKS },
  {
    check: '2.3/role-assistant',
    role: 'assistant',
    forms: ['user, assistant, user', 'assistant, user', 'user, assistant', 'assistant'],
    mayAffect: ['2.3/conversation'],
  },
]

/** Replaces fields of matching messages. The emulator then serves a request that it would otherwise reject. */
function repairMessages(
  has: (message: Record<string, unknown>) => boolean,
  fields: Record<string, string>,
): Mutant['hooks'] {
  return rewriteFields(matchOperation('chat'), ({ messages }) => ({
    messages: Array.isArray(messages)
      ? messages.map((message) => (has(Object(message)) ? { ...message, ...fields } : message))
      : messages,
  }))
}

export const completionMutants: readonly Mutant[] = [
  {
    id: '2.3/numeric-id',
    breaks: 'the ids of completions are numbers',
    kills: { '2.3/id': matchWrongType('id', 'number') },
    hooks: inCompletion('id', (value) => Number.parseInt(String(value).slice(-8), 16)),
  },
  {
    id: '2.3/other-object',
    breaks: 'the object type of completions is "text_completion"',
    kills: { '2.3/object': matchWrongValue('object', 'text_completion') },
    hooks: inCompletion('object', () => 'text_completion'),
  },
  {
    id: '2.3/created-in-ms',
    breaks: 'the created time of completions is in milliseconds',
    kills: { '2.3/created': { code: 'wrong-value', params: { path: 'created', unit: 'ms' } } },
    hooks: inCompletion('created', (value) => Number(value) * 1000),
  },
  {
    id: '2.3/created-with-fraction',
    breaks: 'the created time of completions is not an integer',
    kills: { '2.3/created': matchWrongType('created', 'number') },
    hooks: inCompletion('created', (value) => Number(value) + 0.25),
  },
  {
    id: '2.3/other-model-named',
    breaks: 'completions contain the model id of the upstream provider',
    kills: {
      '2.3/model': { code: 'wrong-value', params: { path: 'model', actual: 'vendora-v4-flash-0801', isListed: false } },
      '2.1/all-answer-chat': {
        code: 'wrong-value',
        params: {
          difference: { parameter: 'model', value: 'vendora-v4-flash' },
          path: 'model',
          actual: 'vendora-v4-flash-0801',
        },
      },
    },
    hooks: inCompletion('model', (value) => `${String(value)}-0801`),
  },
  {
    id: '2.3/no-index',
    breaks: 'choices have no index',
    kills: { '2.3/choice-index': matchMissingField('choices[0].index') },
    hooks: inCompletion('index', () => undefined),
  },
  {
    id: '2.3/role-model',
    breaks: 'messages of completions have the role "model"',
    kills: { '2.3/message-role': matchWrongValue('choices[0].message.role', 'model') },
    hooks: inCompletion('role', () => 'model'),
  },
  {
    id: '2.3/content-in-parts',
    breaks: 'the message content of completions is an array of parts',
    kills: { '2.3/message-content': matchWrongType('choices[0].message.content', 'array') },
    hooks: inCompletion('content', (text) => [{ type: 'text', text }]),
  },
  {
    id: '2.3/null-finish-reason',
    breaks: 'the finish_reason of completions is null',
    kills: { '2.3/finish-reason': matchWrongType('choices[0].finish_reason', 'null') },
    hooks: inCompletion('finish_reason', () => null),
  },
  {
    id: '2.3/no-choices',
    breaks: 'completions have no choices',
    kills: {
      '2.3/choice-index': matchWrongCount('choices', 0),
      '2.3/message-role': matchWrongCount('choices', 0),
      '2.3/message-content': matchWrongCount('choices', 0),
      '2.3/finish-reason': matchWrongCount('choices', 0),
    },
    hooks: inCompletion('choices', () => []),
  },
  {
    id: '4.2/no-reason-for-a-cut',
    breaks: 'the finish_reason is null if max_tokens ended the completion',
    kills: { '4.2/every-completion': matchWrongType('choices[0].finish_reason', 'null') },
    hooks: changeSuccesses(
      matchAll(isCompletionRequest, matchBody(/Count from 1 to 1000/)),
      setProperty('finish_reason', null),
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
    hooks: changeSuccesses(
      matchAll(isCompletionRequest, matchFields({ model: 'vendorc-4o' })),
      setProperty('usage', undefined),
    ),
  },
  ...['prompt_tokens', 'completion_tokens', 'total_tokens'].map((name) => ({
    id: `2.3/${name.replace('_', '-')}-as-text`,
    breaks: `${name} is a string, not an integer`,
    kills: { '2.3/usage': matchWrongType(`usage.${name}`, 'string') },
    // The check of the sum requires the changed fields to be numbers.
    mayAffect: ['2.3/usage-adds-up'],
    hooks: inCompletion(name, String),
  })),
  {
    id: '2.3/no-usage',
    breaks: 'completions have no usage',
    kills: { '2.3/usage': matchMissingField('usage') },
    hooks: inCompletion('usage', () => undefined),
  },
  {
    id: '2.3/total-without-prompt',
    breaks: 'total_tokens does not include the prompt',
    kills: {
      '2.3/usage-adds-up': matchWrongValue('usage', { prompt_tokens: 9, completion_tokens: 16, total_tokens: 16 }),
    },
    hooks: inCompletion('total_tokens', () => 16),
  },
  {
    id: '2.3/one-id-for-streams',
    breaks: 'all streams have the same id',
    kills: { '2.3/ids-differ': { code: 'duplicate-value', params: { path: 'id', actual: 'chatcmpl-stream' } } },
    hooks: changeChunks('id', () => 'chatcmpl-stream'),
  },
  {
    id: '2.3/cache-without-max-tokens',
    breaks: 'a cache returns the completion of a request with another max_tokens',
    kills: { '2.3/ids-differ': { code: 'completion-repeated', params: { parameters: ['max_tokens'] } } },
    mayAffect: ['4.2/max-tokens-bound', '4.2/max-tokens-everywhere', '8/max-tokens-default'],
    hooks: cacheWithout(/,"max_tokens":\d+/),
  },
  {
    id: '2.3/few-ids',
    breaks: 'the ids of completions are numbers from a small range',
    kills: { '2.3/ids-differ': { code: 'duplicate-value', params: { path: 'id' } } },
    mayAffect: ['2.1/all-answer-chat'],
    hooks: changeSuccesses(isCompletionRequest, (response, { body }) =>
      setProperty('id', `chatcmpl-${body.length % 100}`)(response),
    ),
  },
  ...REJECTED_ROLES.map(({ check, role, forms, mayAffect }): Mutant => ({
    id: `2.3/role-${role}-refused`,
    breaks: `messages with the role "${role}" are rejected`,
    kills: {
      [check]: {
        code: 'rejected-in-all-forms',
        params: { responses: forms.map((form) => ({ form, actualStatus: 400 })) },
      },
    },
    ...(mayAffect === undefined ? {} : { mayAffect }),
    hooks: rejectRequests(matchOperation('chat', withRole(role)), 400),
  })),
  {
    id: '2.3/role-system-breaks-down',
    breaks: 'messages with the role "system" get 500',
    kills: {
      '7/breakdown-chat': {
        code: 'requests-broke-down',
        params: { by: [{ role: 'system', actualStatus: 500 }] },
      },
    },
    mayAffect: ['2.3/role-system', '2.3/role-system-each-model', '2.1/all-stream-chat', '4.2/temperature-each-model'],
    hooks: rejectRequests(matchOperation('chat', withRole('system')), 500),
  },
  {
    id: '2.3/number-for-text',
    breaks: 'nothing: the content of a request message is not specified',
    kills: { '2.3/message-number-content': matchObservedStatus(200) },
    hooks: repairMessages(({ content }) => content === 5, { content: '5' }),
  },
  {
    id: '2.3/number-for-role',
    breaks: 'nothing: message roles other than the three listed are not specified',
    kills: { '2.3/message-number-role': matchObservedStatus(200) },
    hooks: repairMessages(({ role }) => role === 5, { role: 'user' }),
  },
  {
    id: '2.3/developer-refused',
    breaks: 'nothing: a target may reject roles that are not specified',
    kills: { '2.3/role-developer': matchObservedStatus(400) },
    hooks: rejectRequests(matchOperation('chat', withRole('developer')), 400),
  },
  {
    id: '2.3/unknown-role-served',
    breaks: 'nothing: a target may serve roles that are not specified',
    kills: { '2.3/role-unknown': matchObservedStatus(200) },
    hooks: repairMessages(({ role }) => role === 'touchstone', { role: 'user' }),
  },
  {
    id: '2.3/name-refused',
    breaks: 'nothing: a target may reject message fields that are not specified',
    kills: { '2.3/message-name-field': matchObservedStatus(400) },
    hooks: rejectRequests(
      matchFieldsOf(
        'chat',
        ({ messages }) => Array.isArray(messages) && messages.some((message) => message?.name !== undefined),
      ),
      400,
    ),
  },
  {
    id: '2.3/role-assumed',
    breaks: 'nothing: a target may treat a message without a role as a user message',
    kills: { '2.3/message-without-role': matchObservedStatus(200) },
    hooks: repairMessages((message) => 'content' in message && !('role' in message), { role: 'user' }),
  },
  {
    id: '2.3/content-assumed',
    breaks: 'nothing: a target may treat a message without content as empty',
    kills: { '2.3/message-without-content': matchObservedStatus(200) },
    hooks: repairMessages((message) => 'role' in message && !('content' in message), { content: '' }),
  },
  {
    id: '2.3/null-content-served',
    breaks: 'nothing: a target may treat null content as empty',
    kills: { '2.3/message-null-content': matchObservedStatus(200) },
    hooks: repairMessages(({ content }) => content === null, { content: '' }),
  },
]
