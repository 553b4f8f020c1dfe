"""Words of one meaning and names that are easily taken for one another, from general knowledge of English."""

# Groups of words that name one thing: other spellings and former names of places, short forms of first names, adjectives of
# countries, and common words with a plain synonym. Words with another frequent meaning are omitted ("art", "polish").
_SAME_GROUPS = """
kyiv kiev, beijing peking, mumbai bombay, kolkata calcutta, chennai madras, myanmar burma, iran persia, thailand siam,
yangon rangoon, guangzhou canton, nanjing nanking, odesa odessa, lviv lvov, kharkiv kharkov, eswatini swaziland, czechia czech,
netherlands holland dutch, jakarta batavia, gdansk danzig, wroclaw breslau, tbilisi tiflis, chisinau kishinev,
turkiye turkey turkish, mecca makkah, muhammad mohammed mohamed mohammad, tchaikovsky chaikovsky, gaddafi qaddafi kadafi,
quran koran, tsar czar, hanukkah chanukah, romania rumania, belarus byelorussia, moldova moldavia,
france french, spain spanish, switzerland swiss, wales welsh, denmark danish, greece greek, ireland irish, scotland scottish,
finland finnish, sweden swedish, norway norwegian, portugal portuguese, england english, britain british,
william bill billy, robert bob bobby, richard dick rick, james jim jimmy, john johnny jack, michael mike mick, thomas tom tommy,
joseph joe, edward ed eddie ted, charles charlie chuck, anthony tony, benjamin ben, samuel sam, daniel dan danny, david dave,
steven stephen steve, christopher chris, matthew matt, andrew andy, kenneth ken kenny, ronald ron, donald don, timothy tim,
gregory greg, jeffrey jeff geoffrey geoff, lawrence larry laurence, frederick fred freddie, theodore theo, nicholas nick,
peter pete, patrick pat, philip phil phillip, douglas doug, gerald gerry jerry, alexander alex, albert bert, leonard len,
elizabeth liz beth eliza betty, margaret maggie peggy meg, katherine catherine kathryn kate kathy, susan susie, deborah debbie,
jennifer jenny jen, rebecca becky, victoria vicky, barbara barb, patricia patty trish, jacqueline jackie, pamela pam,
movie movies film films, automobile automobiles car cars, physician physicians doctor doctors, attorney attorneys lawyer lawyers,
airplane airplanes aeroplane aeroplanes aircraft plane planes, kid kids child children, woman women female females,
man men male males, couch sofa, bicycle bicycles bike bikes, gasoline petrol, vacation holiday, monarch sovereign,
illness illnesses disease diseases sickness, wedding marriage, infant infants baby babies, rubbish garbage trash,
pupil pupils student students, author authors writer writers, begin begins began begun start starts started commence commenced,
finish finishes finished end ends ended, kill kills killed slay slew slain murder murders murdered, purchase purchased buy buys bought,
error errors mistake mistakes, quick quickly fast rapid rapidly, large big, small little,
theater theatre theaters theatres, color colour colors colours, gray grey, center centre, honor honour, harbor harbour,
labor labour, neighbor neighbour, program programme, aluminum aluminium, sulfur sulphur, mustache moustache, defense defence,
january jan, february feb, march mar, april apr, june jun, july jul, august aug, september sept sep, october oct, november nov,
december dec
"""

# Countries of one word. Two of one line are not told apart, and names that are also other things are omitted.
_COUNTRY_LINES = """
afghanistan|albania|algeria|andorra|angola|argentina|armenia|australia|austria|azerbaijan|bahrain|bangladesh|barbados|belarus
belgium|belize|benin|bhutan|bolivia|botswana|brazil|brunei|bulgaria|burundi|cambodia|cameroon|canada|chile|china taiwan|colombia
croatia|cuba|cyprus|denmark|djibouti|dominica|ecuador|egypt|eritrea|estonia|ethiopia|fiji|finland|france|gabon|gambia
germany|ghana|greece|grenada|guatemala|guyana|haiti|honduras|hungary|iceland|india|indonesia|iran persia|iraq
israel|italy|jamaica|japan|kazakhstan|kenya|kiribati|kosovo serbia yugoslavia|kuwait|kyrgyzstan|laos|latvia|lebanon|lesotho|liberia
libya|liechtenstein|lithuania|luxembourg|madagascar|malawi|malaysia|maldives|mali|malta|mauritania|mauritius|mexico|moldova|monaco
mongolia|montenegro|morocco|mozambique|myanmar burma|namibia|nauru|nepal|netherlands holland|nicaragua|niger|nigeria|norway|oman
pakistan|palau|panama|paraguay|peru|philippines|poland|portugal|qatar|romania|russia ussr|rwanda|samoa|senegal|singapore
slovakia czechoslovakia czechia|slovenia|somalia|spain|sudan|suriname|sweden|switzerland|syria|tajikistan|tanzania|thailand siam
togo|tonga|tunisia|turkmenistan|tuvalu|uganda|ukraine|uruguay|uzbekistan|vanuatu|venezuela|vietnam|yemen|zambia|zimbabwe rhodesia
britain england scotland wales ireland
"""

SAME_WORD = {word: group.split()[0] for group in _SAME_GROUPS.split(",") for word in group.split()}
COUNTRIES = {
    word: group.split()[0] for line in _COUNTRY_LINES.split("\n") for group in line.split("|") for word in group.split()
}
