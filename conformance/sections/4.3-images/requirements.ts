import { convention, stated, unspecified } from '../../engine/requirement.ts'

const ADDRESS = 'an address under {base_url}/v1/images/ ending in an image file extension'

const SIZE = '| size | string | no | Image size in the form <width>x<height> |'

export const imageRequirements = [
  stated('2.4/created', '| created | integer | <timestamp> |'),
  stated('2.4/data', '| data | array | Items: object with url (string)'),
  stated('2.4/url-address', 'an address under {base_url}/v1/images/'),
  stated('2.4/url-extension', 'ending in an image file extension'),
  convention('2.4/url-resolution', ADDRESS),
  convention('2.4/image-size', ADDRESS),
  unspecified('2.4/url-key', ADDRESS),
  stated(
    '4.3/endpoint',
    'POST {base_url}/v1/images/generations',
    'used by each request of the section; 1/images-offered requires nothing else',
  ),
  stated('4.3/purpose', 'Purpose: generate images from a text description.', 'a heading; 1/images-offered checks it'),
  stated('4.3/model', '| model | string | yes | Model ID |'),
  stated('4.3/prompt', '| prompt | string | yes | Text description of the image |'),
  unspecified('4.3/prompt-empty', '| prompt | string | yes | Text description of the image |'),
  unspecified('4.3/prompt-bytes', '| prompt | string | yes | Text description of the image |'),
  stated('4.3/n', '| n | integer | no | Number of images; default 1 |'),
  unspecified('4.3/n-lower-bound', '| n | integer | no | Number of images; default 1 |'),
  stated('4.3/size', SIZE),
  stated('4.3/size-of-its-own', SIZE),
  stated('4.3/response', 'Response: an image generation result (2.4).'),
  unspecified('4.3/sizes', 'The full list of allowed size values: not shown.'),
]
