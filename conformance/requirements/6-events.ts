import type { Requirement } from './requirement.ts'

export const eventRequirements = [
  {
    id: '6/events',
    section: '6',
    level: 'silent',
    quote:
      'Events: not shown. Webhooks and other event notifications are not described. Streaming of chat completions is described in 4.2.',
    excluded: 'no request leads to an event, so there is nothing to send; the stream is in 4.2',
  },
] as const satisfies readonly Requirement[]
