import type { RequirementRow } from '../../engine/requirement.ts'

const ADDRESS = 'an address under {base_url}/v1/images/ ending in an image file extension'

export const imageResultRequirements = [
  { id: '2.4/created', level: 'stated', quote: '| created | integer | <timestamp> |' },
  { id: '2.4/data', level: 'stated', quote: '| data | array | Items: object with url (string)' },
  { id: '2.4/url-address', level: 'stated', quote: 'an address under {base_url}/v1/images/' },
  { id: '2.4/url-extension', level: 'stated', quote: 'ending in an image file extension' },
  { id: '2.4/url-resolution', level: 'convention', quote: ADDRESS },
  { id: '2.4/image-size', level: 'convention', quote: ADDRESS },
  { id: '2.4/url-key', level: 'unspecified', quote: ADDRESS },
] as const satisfies readonly RequirementRow[]
