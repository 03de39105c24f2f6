import type { RequirementRow } from '../../engine/requirement.ts'

const BODY = 'Request body (JSON):'
const FINISH_REASON = 'finish_reason (string; "stop" is shown)'

/**
 * Features of chats that agents require: tools, structured output, and the usage of both. The specification leaves them
 * open, so their checks run only on request. They warn if the target supports a feature in a format that client SDKs
 * cannot use.
 */
export const agentRequirements = [
  { id: '4.2/tools', level: 'unspecified', quote: BODY },
  { id: '4.2/tool-calls', level: 'unspecified', quote: FINISH_REASON },
  {
    id: '4.2/tool-call-streams',
    level: 'unspecified',
    quote: 'Response when stream is true: a server-sent-event stream. The framing and chunk shape: not shown.',
  },
  {
    id: '4.2/tool-results',
    level: 'unspecified',
    quote:
      'Fields of a request message beyond role and content, and the allowed roles beyond "system", "user" and "assistant": not shown.',
  },
  { id: '4.2/response-format', level: 'unspecified', quote: BODY },
  {
    id: '4.2/tool-usage',
    level: 'unspecified',
    quote: 'Whether prompt and completion tokens are priced the same, and how credits are deducted: not shown.',
  },
] as const satisfies readonly RequirementRow[]
