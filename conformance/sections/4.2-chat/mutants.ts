import { changeSuccesses, combineHooks, rejectRequests, setProperty } from '../../mutation/change/responses.ts'
import {
  isChatStream,
  isCompletionRequest,
  matchAll,
  matchBody,
  matchFieldsOf,
  matchHeader,
  matchOperation,
} from '../../mutation/change/match.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { COMPLETION_CHECKS } from '../shared/mutants-check-groups.ts'
import { matchMediaType, matchServedOtherwise, matchUnexpectedStatus } from '../../mutation/result-match.ts'

const messages: readonly Mutant[] = [
  {
    id: '4.2/first-message-alone',
    breaks: 'only the first message is validated',
    kills: {
      '4.2/message-not-an-object': matchUnexpectedStatus(200, { parameter: 'messages[1]', value: 'Say hello.' }),
    },
    hooks: rewriteFields(matchOperation('chat'), ({ messages }) => ({
      messages: Array.isArray(messages)
        ? messages.filter((message: unknown, index) => index === 0 || typeof message !== 'string')
        : messages,
    })),
  },
  {
    id: '4.2/ascii-alone',
    breaks: 'chat accepts only ASCII',
    kills: { '4.2/unicode-content': matchUnexpectedStatus(400) },
    hooks: rejectRequests(matchOperation('chat', matchBody(/[\x80-\xff]/)), 400),
  },
  {
    id: '4.2/escapes-refused',
    breaks: 'chat rejects escape sequences of characters outside ASCII',
    kills: { '4.2/unicode-content': matchUnexpectedStatus(400) },
    hooks: rejectRequests(matchOperation('chat', matchBody(/\\u[\da-f]{4}/i)), 400),
  },
  {
    id: '4.2/max-tokens-ignored-and-uncounted',
    breaks: 'max_tokens is ignored, and usage counts 0 completion tokens',
    kills: { '4.2/max-tokens-bound': { code: 'text-exceeds-bound' } },
    mayAffect: ['2.3/usage-adds-up', '4.2/max-tokens-everywhere'],
    hooks: combineHooks(
      rewriteFields(
        matchFieldsOf(
          'chat',
          ({ max_tokens: bound, stream }) => stream !== true && Number.isInteger(bound) && Number(bound) > 0,
        ),
        { max_tokens: undefined },
      ),
      changeSuccesses(isCompletionRequest, setProperty('completion_tokens', 0)),
    ),
  },
]

export const chatMutants: readonly Mutant[] = [
  {
    id: '4.2/max-tokens-ignored',
    breaks: 'max_tokens is ignored',
    kills: {
      '4.2/max-tokens-bound': { code: 'bound-exceeded', params: { path: 'usage.completion_tokens', actual: 256 } },
      '4.2/max-tokens-bound-stream': {
        code: 'bound-exceeded',
        params: { path: 'usage.completion_tokens', actual: 256 },
      },
    },
    // Without the parameter, the emulator generates its default maximum of 256 tokens.
    hooks: rewriteFields(
      matchFieldsOf('chat', ({ max_tokens: bound }) => Number.isInteger(bound) && Number(bound) > 0),
      { max_tokens: undefined },
    ),
  },
  {
    id: '8/max-tokens-of-256-refused',
    breaks: 'max_tokens is rejected if it equals the default',
    kills: { '8/max-tokens-default-given': matchServedOtherwise({ parameter: 'max_tokens', omitted: true }) },
    hooks: rejectRequests(matchFieldsOf('chat', { max_tokens: 256 }), 400),
  },
  {
    id: '8/max-tokens-refused',
    breaks: 'max_tokens is rejected',
    kills: { '8/max-tokens-default-given': matchServedOtherwise({ parameter: 'max_tokens', omitted: true }) },
    hooks: rejectRequests(
      matchAll(
        matchHeader('authorization', /funded/),
        matchFieldsOf('chat', (fields) => fields['max_tokens'] !== undefined),
      ),
      400,
    ),
  },
  {
    id: '8/max-tokens-demanded',
    breaks: 'a chat without max_tokens is rejected',
    kills: { '8/max-tokens-default': matchServedOtherwise({ parameter: 'max_tokens', value: 16 }) },
    hooks: rejectRequests(matchFieldsOf('chat', { max_tokens: undefined }), 400),
  },
  {
    id: '8/temperature-demanded',
    breaks: 'a chat without temperature is rejected',
    kills: { '8/temperature-default': matchServedOtherwise({ parameter: 'temperature', value: 1 }) },
    hooks: rejectRequests(matchFieldsOf('chat', { temperature: undefined }), 400),
  },
  {
    id: '8/default-of-4096',
    breaks: 'without max_tokens, completions have up to 4096 tokens',
    kills: {
      '8/max-tokens-default': {
        code: 'bound-exceeded',
        params: { path: 'usage.completion_tokens', actual: 4096, isDefault: true },
      },
      '8/max-tokens-default-stream': {
        code: 'bound-exceeded',
        params: { path: 'usage.completion_tokens', actual: 4096, isDefault: true },
      },
    },
    hooks: rewriteFields(matchFieldsOf('chat', { max_tokens: undefined }), { max_tokens: 4096 }),
  },
  {
    id: '8/default-of-16',
    breaks: 'without max_tokens, completions are truncated after 16 tokens',
    kills: { '8/max-tokens-default': { code: 'truncated-below-default', params: { actual: 16 } } },
    hooks: rewriteFields(matchFieldsOf('chat', { max_tokens: undefined }), { max_tokens: 16 }),
  },
  ...[
    { check: '4.2/temperature-lowest', written: '0', breaks: 'a temperature of 0 is treated as missing and rejected' },
    { check: '4.2/temperature-lowest-with-point', written: '0.0', breaks: 'a temperature of 0.0 is rejected' },
    { check: '4.2/temperature-highest', written: '2', breaks: 'the upper bound of the temperature is exclusive' },
    { check: '4.2/temperature-highest-with-point', written: '2.0', breaks: 'a temperature of 2.0 is rejected' },
    {
      check: '4.2/temperature-default',
      written: '1',
      breaks: 'a temperature of 1 is rejected because it has no decimal point',
    },
    { check: '4.2/temperature-fraction', written: '0.7', breaks: 'a temperature that is not an integer is rejected' },
    { check: '4.2/temperature-default-with-point', written: '1.0', breaks: 'a temperature of 1.0 is rejected' },
  ].map(({ check, written, breaks }) => ({
    id: `${check}-refused`,
    breaks,
    kills: { [check]: matchUnexpectedStatus(400) },
    hooks: rejectRequests(
      matchOperation('chat', matchBody(new RegExp(`"temperature":${written.replace('.', String.raw`\.`)}[,}]`))),
      400,
    ),
  })),
  ...[
    { id: '4.2/temperature-whole-below', check: '4.2/temperature-below', value: -1 },
    { id: '4.2/temperature-whole-above', check: '4.2/temperature-above', value: 3 },
  ].map(({ id, check, value }) => ({
    id,
    breaks: `the range of the temperature is enforced only for numbers with a decimal point: ${value} is served`,
    kills: { [check]: matchUnexpectedStatus(200, { parameter: 'temperature', value }) },
    hooks: rewriteFields(matchFieldsOf('chat', { temperature: value }), { temperature: 1 }),
  })),
  ...messages,
  {
    id: '4.2/no-streams-of-unicode',
    breaks: 'messages outside ASCII are never streamed',
    kills: { '4.2/unicode-stream': matchMediaType('application/json') },
    hooks: rewriteFields(matchAll(isChatStream, matchBody(/[\x80-\xff]/)), (fields) => ({
      ...fields,
      stream: false,
    })),
  },
  {
    id: '4.2/no-unicode-in-streams',
    breaks: 'streams accept only ASCII',
    kills: { '4.2/unicode-stream': matchServedOtherwise({ parameter: 'stream', omitted: true }) },
    hooks: rejectRequests(matchAll(isChatStream, matchBody(/[\x80-\xff]/)), 400),
  },
  {
    id: '2.3/one-model-without-system',
    breaks: 'one model rejects the role "system"',
    kills: {
      '2.3/role-system-each-model': matchServedOtherwise({ variant: 'without the system message' }, 400, {
        parameter: 'model',
        value: 'o3-mini',
      }),
    },
    hooks: rejectRequests(matchAll(matchFieldsOf('chat', { model: 'o3-mini' }), matchBody(/"role":"system"/)), 400),
  },
  {
    id: '4.2/presence-streams',
    breaks: 'stream counts as true if it is present',
    kills: { '4.2/stream-false': matchMediaType('text/event-stream') },
    mayAffect: ['4.2/every-completion'],
    hooks: rewriteFields(matchFieldsOf('chat', { stream: false }), { stream: true }),
  },
  {
    id: '8/streams-by-default',
    breaks: 'chats are streamed unless stream is false',
    kills: { '8/stream-default': matchMediaType('text/event-stream') },
    mayAffect: COMPLETION_CHECKS,
    hooks: rewriteFields(matchFieldsOf('chat', { stream: undefined }), { stream: true }),
  },
  {
    id: '4.2/completion-in-an-array',
    breaks: 'completions are wrapped in an array',
    kills: {
      '4.2/stream-false': { code: 'wrong-body', params: { problem: 'not-a-json-object' } },
      '8/stream-default': { code: 'wrong-body', params: { problem: 'not-a-json-object' } },
    },
    mayAffect: COMPLETION_CHECKS,
    hooks: changeSuccesses(isCompletionRequest, (response) => ({
      ...response,
      body: Buffer.concat([Buffer.from('['), response.body, Buffer.from(']')]),
    })),
  },
]
