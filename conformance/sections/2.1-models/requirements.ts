import type { RequirementRow } from '../../engine/requirement.ts'

export const modelRequirements: readonly RequirementRow[] = [
  { id: '2.1/identified-by-id', level: 'stated', quote: 'A model is identified by a string model ID.' },
  { id: '2.1/id', level: 'stated', quote: '| id | string | Model ID |' },
  { id: '2.1/unique-ids', level: 'convention', quote: '| id | string | Model ID |' },
  { id: '2.1/object', level: 'stated', quote: '| object | string | Constant "model" |' },
  { id: '2.1/created', level: 'stated', quote: '| created | integer | <timestamp> |' },
  { id: '2.1/owned-by', level: 'stated', quote: '| owned_by | string | Owner label |' },
  { id: '2.1/available-models', level: 'stated', quote: 'Available model IDs.' },
  {
    id: '2.1/vendor-words',
    level: 'stated',
    quote: 'The vendor part of three IDs is written with a neutral word.',
    excluded: 'about the notation of the specification; the suite uses the IDs unchanged',
  },
  {
    id: '2.1/price-unit',
    level: 'stated',
    quote: 'The price is in credits per token.',
    excluded: 'the unit of the prices below, checked with each of them: 2.1/price-o3-mini and the others',
  },
  // The checks of prices run only if the owner declares how to read the balance.
  { id: '2.1/price-vendora-v4-flash', level: 'stated', quote: '| vendora-v4-flash | Fast chat | 0.0004 |' },
  {
    id: '2.1/price-vendora-v4-pro',
    level: 'stated',
    quote: '| vendora-v4-pro | Advanced reasoning and coding | 0.002 |',
  },
  { id: '2.1/price-vendora-reasoner', level: 'stated', quote: '| vendora-reasoner | Deep reasoning | 0.002 |' },
  {
    id: '2.1/price-vendorb-sonnet-4-20250514',
    level: 'stated',
    quote: '| vendorb-sonnet-4-20250514 | Balanced model of its provider | 0.006 |',
  },
  {
    id: '2.1/price-vendorb-haiku-3.5',
    level: 'stated',
    quote: '| vendorb-haiku-3.5 | Fast model of its provider | 0.002 |',
  },
  { id: '2.1/price-o3-mini', level: 'stated', quote: '| o3-mini | Reasoning model | 0.004 |' },
  { id: '2.1/price-vendorc-4o', level: 'stated', quote: '| vendorc-4o | Multimodal flagship | 0.01 |' },
  { id: '2.1/price-vendorc-4o-mini', level: 'stated', quote: '| vendorc-4o-mini | Lightweight | 0.0008 |' },
  {
    id: '2.1/capabilities',
    level: 'unspecified',
    quote: 'Capabilities of each model, meaning which models serve images, audio or vision: not shown.',
  },
]
