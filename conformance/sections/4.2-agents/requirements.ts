import { unspecified } from '../../engine/requirement.ts'

const BODY = 'Request body (JSON):'
const FINISH_REASON = 'finish_reason (string; "stop" is shown)'

/** The specification leaves these features of chats open, so their checks run only on request, and only warn. */
export const agentRequirements = [
  unspecified('4.2/tools', BODY),
  unspecified('4.2/tool-calls', FINISH_REASON),
  unspecified(
    '4.2/tool-call-streams',
    'Response when stream is true: a server-sent-event stream. The framing and chunk shape: not shown.',
  ),
  unspecified(
    '4.2/tool-results',
    'Fields of a request message beyond role and content, and the allowed roles beyond "system", "user" and "assistant": not shown.',
  ),
  unspecified('4.2/response-format', BODY),
  unspecified(
    '4.2/tool-usage',
    'Whether prompt and completion tokens are priced the same, and how credits are deducted: not shown.',
  ),
]
