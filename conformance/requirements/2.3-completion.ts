import type { Requirement } from './requirement.ts'

const CHOICES = '| choices | array | Items: index (integer)'

/** Section 2.3: the chat completion object. */
export const completionRequirements = [
  {
    id: '2.3/id',
    section: '2.3',
    level: 'stated',
    quote: '| id | string | Completion identifier |',
    checks: ['2.3/id'],
  },
  {
    id: '2.3/unique-ids',
    section: '2.3',
    level: 'convention',
    quote: '| id | string | Completion identifier |',
    checks: ['2.3/ids-differ'],
  },
  {
    id: '2.3/object',
    section: '2.3',
    level: 'stated',
    quote: '| object | string | "chat.completion" |',
    checks: ['2.3/object'],
  },
  {
    id: '2.3/created',
    section: '2.3',
    level: 'stated',
    quote: '| created | integer | <timestamp> |',
    checks: ['2.3/created'],
  },
  {
    id: '2.3/model',
    section: '2.3',
    level: 'stated',
    quote: '| model | string | Model ID used |',
    checks: ['2.3/model'],
  },
  { id: '2.3/choice-index', section: '2.3', level: 'stated', quote: CHOICES, checks: ['2.3/choice-index'] },
  {
    id: '2.3/message-role',
    section: '2.3',
    level: 'stated',
    quote: 'the role of a reply is "assistant"',
    checks: ['2.3/message-role'],
  },
  {
    id: '2.3/message-content',
    section: '2.3',
    level: 'stated',
    quote: 'message (object with role and content, both strings',
    checks: ['2.3/message-content'],
  },
  {
    id: '2.3/finish-reason',
    section: '2.3',
    level: 'stated',
    quote: 'finish_reason (string; "stop" is shown)',
    checks: ['2.3/finish-reason'],
  },
  {
    id: '2.3/usage',
    section: '2.3',
    level: 'stated',
    quote: '| usage | object | prompt_tokens, completion_tokens, total_tokens, all integers |',
    checks: ['2.3/usage'],
  },
  {
    id: '2.3/usage-total',
    section: '2.3',
    level: 'convention',
    quote: '| usage | object | prompt_tokens, completion_tokens, total_tokens, all integers |',
    checks: ['2.3/usage-adds-up'],
  },
  {
    id: '2.3/request-roles',
    section: '2.3',
    level: 'stated',
    quote: 'the allowed roles beyond "system", "user" and "assistant"',
    checks: ['2.3/role-system', '2.3/role-user', '2.3/role-assistant'],
  },
  {
    id: '2.3/other-message-fields',
    section: '2.3',
    level: 'silent',
    quote:
      'Fields of a request message beyond role and content, and the allowed roles beyond "system", "user" and "assistant": not shown.',
    checks: [
      '2.3/role-developer',
      '2.3/role-unknown',
      '2.3/message-name-field',
      '2.3/message-without-role',
      '2.3/message-without-content',
      '2.3/message-null-content',
      '2.3/message-number-content',
      '2.3/message-number-role',
    ],
  },
] as const satisfies readonly Requirement[]
