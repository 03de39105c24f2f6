import type { Requirement } from '../../engine/requirement.ts'

const ADDRESS = 'an address under {base_url}/v1/images/ ending in an image file extension'

export const imageResultRequirements = [
  {
    id: '2.4/created',
    section: '2.4',
    level: 'stated',
    quote: '| created | integer | <timestamp> |',
  },
  {
    id: '2.4/data',
    section: '2.4',
    level: 'stated',
    quote: '| data | array | Items: object with url (string)',
  },
  {
    id: '2.4/url-address',
    section: '2.4',
    level: 'stated',
    quote: 'an address under {base_url}/v1/images/',
  },
  {
    id: '2.4/url-extension',
    section: '2.4',
    level: 'stated',
    quote: 'ending in an image file extension',
  },
  {
    id: '2.4/url-resolution',
    section: '2.4',
    level: 'convention',
    quote: ADDRESS,
  },
  {
    id: '2.4/image-size',
    section: '2.4',
    level: 'convention',
    quote: ADDRESS,
  },
  { id: '2.4/url-key', section: '2.4', level: 'unspecified', quote: ADDRESS },
] as const satisfies readonly Requirement[]
