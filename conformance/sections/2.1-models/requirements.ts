import { MODELS } from '../../../contract/facts.ts'
import type { Requirement } from '../../engine/requirement.ts'

/**
 * One requirement for each row of the price table. Their checks run only if the owner declares how to read the balance.
 */
const priceRequirements = MODELS.map(({ id, description, creditsPerToken }) => ({
  id: `2.1/price-${id}`,
  section: '2.1',
  level: 'stated' as const,
  quote: `| ${id} | ${description} | ${creditsPerToken} |`,
}))

export const modelRequirements: readonly Requirement[] = [
  {
    id: '2.1/identified-by-id',
    section: '2.1',
    level: 'stated',
    quote: 'A model is identified by a string model ID.',
  },
  { id: '2.1/id', section: '2.1', level: 'stated', quote: '| id | string | Model ID |' },
  { id: '2.1/unique-ids', section: '2.1', level: 'convention', quote: '| id | string | Model ID |' },
  {
    id: '2.1/object',
    section: '2.1',
    level: 'stated',
    quote: '| object | string | Constant "model" |',
  },
  {
    id: '2.1/created',
    section: '2.1',
    level: 'stated',
    quote: '| created | integer | <timestamp> |',
  },
  {
    id: '2.1/owned-by',
    section: '2.1',
    level: 'stated',
    quote: '| owned_by | string | Owner label |',
  },
  {
    id: '2.1/available-models',
    section: '2.1',
    level: 'stated',
    quote: 'Available model IDs.',
  },
  {
    id: '2.1/vendor-words',
    section: '2.1',
    level: 'stated',
    quote: 'The vendor part of three IDs is written with a neutral word.',
    excluded: 'about the notation of the specification; the suite uses the IDs unchanged',
  },
  {
    id: '2.1/price-unit',
    section: '2.1',
    level: 'stated',
    quote: 'The price is in credits per token.',
    excluded: 'the unit of the prices below, checked with each of them: 2.1/price-o3-mini and the others',
  },
  ...priceRequirements,
  {
    id: '2.1/capabilities',
    section: '2.1',
    level: 'unspecified',
    quote: 'Capabilities of each model, meaning which models serve images, audio or vision: not shown.',
  },
]
