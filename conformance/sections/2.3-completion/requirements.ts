import { convention, stated, unspecified } from '../../engine/requirement.ts'

const CHOICES = '| choices | array | Items: index (integer)'

const USAGE = '| usage | object | prompt_tokens, completion_tokens, total_tokens, all integers |'

export const completionRequirements = [
  stated('2.3/id', '| id | string | Completion identifier |'),
  convention('2.3/unique-ids', '| id | string | Completion identifier |'),
  stated('2.3/object', '| object | string | "chat.completion" |'),
  stated('2.3/created', '| created | integer | <timestamp> |'),
  stated('2.3/model', '| model | string | Model ID used |'),
  stated('2.3/choice-index', CHOICES),
  stated('2.3/message-role', 'the role of a reply is "assistant"'),
  stated('2.3/message-content', 'message (object with role and content, both strings'),
  stated('2.3/finish-reason', 'finish_reason (string; "stop" is shown)'),
  unspecified('2.3/finish-reason-open', 'finish_reason (string; "stop" is shown)'),
  stated('2.3/usage', USAGE),
  convention('2.3/usage-total', USAGE),
  // The specification defines no tokenizer, so no check compares a count with a text. But every tokenizer splits a text
  // into at least one token, and section 8 leaves open only the price of prompt tokens, not their number. The table
  // requires only an integer, so a count of 0 is a warning.
  convention('2.3/usage-prompt', USAGE),
  convention('2.3/conversation', 'the allowed roles beyond "system", "user" and "assistant"'),
  stated('2.3/request-roles', 'the allowed roles beyond "system", "user" and "assistant"'),
  unspecified(
    '2.3/other-message-fields',
    'Fields of a request message beyond role and content, and the allowed roles beyond "system", "user" and "assistant": not shown.',
  ),
]
