"""Chromium as wide and as high as a phone, at a page that takes no sign-in.

    chromium_fold.py URL SELECTOR

Prints one JSON object: how far down the page the element ends, and how wide the page overflows.
"""

import json
import sys

from webdriver import Chromium

url, selector = sys.argv[1:3]
with Chromium() as browser:
    browser.be_phone()
    browser.open(url)
    browser.until("the element", lambda: browser.find(selector))
    overflow = browser.run("return Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)")
    print(json.dumps({"bottom": browser.bottom(selector), "overflow": overflow}))
