import type { RequirementRow } from '../../engine/requirement.ts'

export const limitRequirements = [
  { id: '8/max-tokens-default', level: 'stated', quote: 'Defaults: max_tokens is 256' },
  { id: '8/temperature-default', level: 'stated', quote: 'temperature is 1.0 (range 0 to 2)' },
  { id: '8/n-default', level: 'stated', quote: 'n is 1' },
  { id: '8/voice-default', level: 'stated', quote: 'voice is "alloy"' },
  { id: '8/stream-default', level: 'stated', quote: 'stream is false' },
  { id: '8/pricing', level: 'stated', quote: 'Pricing is per token in credits, per the table in 2.1.' },
  {
    id: '8/sufficient-credits',
    level: 'stated',
    quote: 'A request needs sufficient credits (5.4, 5.5).',
    excluded: 'the rule of 5.4 and 5.5, checked there: 5/insufficient-credits',
  },
  {
    id: '8/rate-limit',
    level: 'stated',
    quote: 'Exceeding the rate limit gives 429.',
    excluded: 'the rule of section 7, checked there: 7/429',
  },
  { id: '8/rate-limits-open', level: 'unspecified', quote: 'Rate limit thresholds and windows: not shown.' },
  {
    id: '8/upper-bounds',
    level: 'unspecified',
    quote: 'Upper bounds of max_tokens, n, audio file size and message count: not shown.',
  },
  {
    id: '8/large-requests',
    level: 'unspecified',
    quote: 'Upper bounds of max_tokens, n, audio file size and message count: not shown.',
  },
  {
    id: '8/deduction',
    level: 'unspecified',
    quote: 'Whether prompt and completion tokens are priced the same, and how credits are deducted: not shown.',
  },
] as const satisfies readonly RequirementRow[]
