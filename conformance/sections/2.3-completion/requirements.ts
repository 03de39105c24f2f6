import type { RequirementRow } from '../../engine/requirement.ts'

const CHOICES = '| choices | array | Items: index (integer)'

export const completionRequirements = [
  { id: '2.3/id', level: 'stated', quote: '| id | string | Completion identifier |' },
  { id: '2.3/unique-ids', level: 'convention', quote: '| id | string | Completion identifier |' },
  { id: '2.3/object', level: 'stated', quote: '| object | string | "chat.completion" |' },
  { id: '2.3/created', level: 'stated', quote: '| created | integer | <timestamp> |' },
  { id: '2.3/model', level: 'stated', quote: '| model | string | Model ID used |' },
  { id: '2.3/choice-index', level: 'stated', quote: CHOICES },
  { id: '2.3/message-role', level: 'stated', quote: 'the role of a reply is "assistant"' },
  { id: '2.3/message-content', level: 'stated', quote: 'message (object with role and content, both strings' },
  { id: '2.3/finish-reason', level: 'stated', quote: 'finish_reason (string; "stop" is shown)' },
  { id: '2.3/finish-reason-open', level: 'unspecified', quote: 'finish_reason (string; "stop" is shown)' },
  {
    id: '2.3/usage',
    level: 'stated',
    quote: '| usage | object | prompt_tokens, completion_tokens, total_tokens, all integers |',
  },
  {
    id: '2.3/usage-total',
    level: 'convention',
    quote: '| usage | object | prompt_tokens, completion_tokens, total_tokens, all integers |',
  },
  // The specification defines no tokenizer, so no check compares a count with a text. But every tokenizer splits a text
  // into at least one token, and section 8 leaves open only the price of prompt tokens, not their number. The table
  // requires only an integer, so a count of 0 is a warning.
  {
    id: '2.3/usage-prompt',
    level: 'convention',
    quote: '| usage | object | prompt_tokens, completion_tokens, total_tokens, all integers |',
  },
  { id: '2.3/conversation', level: 'convention', quote: 'the allowed roles beyond "system", "user" and "assistant"' },
  { id: '2.3/request-roles', level: 'stated', quote: 'the allowed roles beyond "system", "user" and "assistant"' },
  {
    id: '2.3/other-message-fields',
    level: 'unspecified',
    quote:
      'Fields of a request message beyond role and content, and the allowed roles beyond "system", "user" and "assistant": not shown.',
  },
] as const satisfies readonly RequirementRow[]
