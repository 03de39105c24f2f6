import type { RequirementRow } from '../../engine/requirement.ts'

export const eventRequirements = [
  {
    id: '6/events',
    level: 'unspecified',
    quote:
      'Events: not shown. Webhooks and other event notifications are not described. Streaming of chat completions is described in 4.2.',
    excluded: 'no request causes an event, so no check can test events; the checks of section 4.2 test the stream',
  },
] as const satisfies readonly RequirementRow[]
