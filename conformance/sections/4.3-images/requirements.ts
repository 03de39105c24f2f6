import type { RequirementRow } from '../../engine/requirement.ts'

export const imageRequirements = [
  {
    id: '4.3/endpoint',
    level: 'stated',
    quote: 'POST {base_url}/v1/images/generations',
    excluded: 'used by each request of the section; 1/images-offered requires nothing else',
  },
  {
    id: '4.3/purpose',
    level: 'stated',
    quote: 'Purpose: generate images from a text description.',
    excluded: 'a heading; 1/images-offered checks it',
  },
  { id: '4.3/model', level: 'stated', quote: '| model | string | yes | Model ID |' },
  { id: '4.3/prompt', level: 'stated', quote: '| prompt | string | yes | Text description of the image |' },
  { id: '4.3/prompt-empty', level: 'unspecified', quote: '| prompt | string | yes | Text description of the image |' },
  { id: '4.3/prompt-bytes', level: 'unspecified', quote: '| prompt | string | yes | Text description of the image |' },
  { id: '4.3/n', level: 'stated', quote: '| n | integer | no | Number of images; default 1 |' },
  { id: '4.3/n-lower-bound', level: 'unspecified', quote: '| n | integer | no | Number of images; default 1 |' },
  { id: '4.3/size', level: 'stated', quote: '| size | string | no | Image size in the form <width>x<height> |' },
  {
    id: '4.3/size-of-its-own',
    level: 'stated',
    quote: '| size | string | no | Image size in the form <width>x<height> |',
  },
  { id: '4.3/response', level: 'stated', quote: 'Response: an image generation result (2.4).' },
  { id: '4.3/sizes', level: 'unspecified', quote: 'The full list of allowed size values: not shown.' },
] as const satisfies readonly RequirementRow[]
