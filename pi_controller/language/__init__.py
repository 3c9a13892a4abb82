"""Sentences into words, by the catalogues of `locale/`.

languages      which there are, and which one somebody wants
own_words      a site's own texts, over the catalogues
words          sentences, numbers and tables in a language
system_errors  errors of the operating system as sentences
"""
